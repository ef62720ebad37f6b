/**
 * The version of this package. It is a constant because a bundle has no package.json beside it; a test
 * compares both.
 */
export const version = '0.1.0';

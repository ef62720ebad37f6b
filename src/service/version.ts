/** The version of this package: written here, since a bundle has no package file beside it. A test compares them. */
export const version = '0.1.0';

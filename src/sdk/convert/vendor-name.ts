/** Vendors allow letters, digits, `_` and `-` in a tool's name; ours may have dots. */
export const toVendorName = (name: string): string => name.replaceAll('.', '__dot__');

export const fromVendorName = (name: string): string => name.replaceAll('__dot__', '.');

/**
 * Corrections of VitePress's search box for screen readers. They declare a dialog with a list of options. VitePress declares a button,
 * links within options, and labels on elements without a role. Each correction is a pattern of its template and the replacement.
 */
const corrections = [
  [
    /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    'role="dialog" aria-modal="true"',
  ],
  [/(:key="p\.id")\s+:id="[^"]*"\s+:aria-selected="[^"]*"\s+role="option"/, '$1 role="none"'],
  [
    /class="result"(\s+:class="[^"]*")\s+:aria-label="[^"]*"/,
    `class="result"$1 role="option" :id="'localsearch-item-' + index" :aria-selected="selectedIndex === index"`,
  ],
  [/<span class="title-icon">/, '<span class="title-icon" aria-hidden="true">'],
  [/<kbd :aria-label=/g, '<kbd role="img" :aria-label='],
];

/** Vite plugin that applies the corrections. */
export const searchDialog = {
  name: 'search-dialog',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/VPLocalSearchBox.vue')) return undefined;
    return corrections.reduce((corrected, [pattern, replacement]) => {
      if (corrected.search(pattern) < 0)
        throw new Error(
          `VitePress's search box no longer matches ${pattern}: check whether the correction in search-dialog.js is still needed.`,
        );
      return corrected.replace(pattern, replacement);
    }, code);
  },
};

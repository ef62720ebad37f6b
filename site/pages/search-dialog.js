/**
 * What VitePress says of its search to those who listen to a page: the window a button, the results links within options, the keys labels of
 * nothing. For Vite it is a dialog with a list to choose from.
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

export const searchDialog = {
  name: 'search-dialog',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/VPLocalSearchBox.vue')) return undefined;
    return corrections.reduce((corrected, [said, meant]) => {
      if (corrected.search(said) < 0)
        throw new Error(`The search of VitePress no longer says ${said}: look whether it need be corrected.`);
      return corrected.replace(said, meant);
    }, code);
  },
};

/**
 * VitePress calls the window of its search a button, which holds fields and buttons. Nobody who listens to the page would expect them there,
 * so for Vite it is a dialog.
 */
const button = /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/;

export const searchDialog = {
  name: 'search-dialog',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('/VPLocalSearchBox.vue')) return undefined;
    if (!button.test(code))
      throw new Error('The search of VitePress is another now: look whether it is a dialog.');
    return code.replace(button, 'role="dialog" aria-modal="true"');
  },
};

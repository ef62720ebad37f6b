/**
 * Texts of a model that would set `globalThis.ran`, load a resource or cover other parts of the page if they were
 * not escaped.
 */
export const hostileMarkdown: Readonly<Record<string, string>> = {
  'a script': '<script>globalThis.ran = true</script> after',
  'an image with a handler': '<img src="x" onerror="globalThis.ran = true"> after',
  'an SVG with a handler':
    '<svg onload="globalThis.ran = true"><a href="javascript:globalThis.ran=1">x</a></svg>',
  'an image of Markdown': '![a picture](https://example.invalid/beacon.png)',
  'a style': '<style>* { display: none }</style> after',
  'a frame': '<iframe src="https://example.invalid/"></iframe> after',
  'a form': '<form action="https://example.invalid/"><input name="key"></form> after',
  'a thousand quotations deep': `${'> '.repeat(1_000)}deep`,
  'ten thousand brackets': `${'['.repeat(10_000)}${'*_'.repeat(5_000)}`,
  'a table of two hundred columns': ['|a'.repeat(200), '|-'.repeat(200), '|1'.repeat(200)].join('|\n'),
  'right to left': 'שלום עולם, هذا نص عربي طويل',
};

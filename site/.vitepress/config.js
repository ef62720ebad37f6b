import { slug } from 'github-slugger';
import { siteLinks } from '../pages/links.js';
import { listedPages, sidebar } from '../pages/places.js';
import { bothPictures, fencedBlocks, fittingTables } from '../pages/rendering.js';
import { searchDialog } from '../pages/search-dialog.js';

const root = process.env.SITE_ROOT;
const pages = listedPages(root);
const highContrast = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' };
/** VitePress's Markdown extensions, turned off so that a page means the same here and in other Markdown viewers. */
const additions = ['attrs', 'component', 'container', 'emoji', 'footnote', 'include', 'snippet', 'toc'];

/**
 * Returns the form in which the search compares a word; null leaves it out of pages and questions. VitePress writes this
 * function into the page, so it uses nothing outside itself.
 */
const searchedWord = (word) =>
  /^(?:an?|and|are|be|can|do|does|for|from|how|i|in|is|it|my|not|of|on|or|that|the|this|to|was|were|what|when|where|which|who|why|with|you|your)$/i.test(
    word,
  )
    ? null
    : word.toLowerCase();

/** Returns the text that the search indexes. It omits `<details>`, because API examples would rank above the texts that explain them. */
async function searchedText(source, env, markdown) {
  const html = await markdown.renderAsync(source, env);
  return env.frontmatter?.search === false ? '' : html.replaceAll(/<details>.*?<\/details>/gs, '');
}

const upFrom = (page) => '../'.repeat(page.split('/').length - 1);

// biome-ignore lint/style/noDefaultExport: VitePress requires it
export default {
  title: 'Stepwise',
  description: 'One HTTP call is one step of a ReAct agent: you keep the loop, the tools and the keys.',
  lang: 'en',
  // Makes every address relative, so that the site works below any path.
  base: './',
  srcDir: '.build/pages',
  cacheDir: '.build/cache',
  outDir: process.env.SITE_TARGET,
  ignoreDeadLinks: 'localhostLinks',
  transformHead: ({ page }) => [['link', { rel: 'icon', href: `${upFrom(page)}icon.svg` }]],
  markdown: {
    theme: highContrast,
    anchor: { slugify: (text) => slug(text) },
    ...Object.fromEntries(additions.map((name) => [name, false])),
    config: (markdown) => {
      markdown.use(siteLinks(root, pages));
      markdown.use(fencedBlocks);
      markdown.use(bothPictures);
      markdown.use(fittingTables);
    },
  },
  vite: { plugins: [searchDialog] },
  themeConfig: {
    logo: { src: '/icon.svg', alt: '' },
    nav: [
      { text: 'Playground', link: '/docs/playground' },
      { text: 'Reference', link: '/docs/reference/' },
      { text: 'API', link: '/api/' },
    ],
    sidebar: sidebar(root),
    // `linkLabel` repeats the visible text, so that screen readers announce the same.
    notFound: {
      quote: 'There is no page at this address. The search finds pages by their words.',
      linkText: 'Go to the start',
      linkLabel: 'Go to the start',
    },
    outline: { level: [2, 3] },
    externalLinkIcon: true,
    search: {
      provider: 'local',
      options: {
        _render: searchedText,
        miniSearch: {
          options: { processTerm: searchedWord },
          searchOptions: { combineWith: 'AND', fuzzy: false, prefix: true },
        },
      },
    },
  },
};

import { render } from 'preact';
import { App } from './app.js';
import { followLinks } from './branches/follow-links.js';
import { openExample } from './project/open-folder.js';
import { followSettings } from './state/next-prompt.js';
import { offerStarter } from './state/starter-task.js';
import { followTheme } from './state/view-options.js';

followTheme();
offerStarter();
const root = document.getElementById('page');
if (root) render(<App />, root);
followSettings();
followLinks();
void openExample();

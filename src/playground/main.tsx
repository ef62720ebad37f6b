import { render } from 'preact';
import { App } from './app.js';
import { followLinks } from './branches/follow-links.js';
import { openExample } from './project/open-folder.js';
import { draftTask, followSettings } from './state/next-prompt.js';
import { followTheme } from './state/view-options.js';

const FIRST_TASK = 'How is the discount of a coupon calculated, and which limits does it have?';

followTheme();
draftTask.value = FIRST_TASK;
const root = document.getElementById('page');
if (root) render(<App />, root);
followSettings();
followLinks();
void openExample();

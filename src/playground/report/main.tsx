import { render } from 'preact';
import type { EvalReport } from '../../eval/eval-report.js';
import { ReportPage } from './report-page.js';

const data = document.getElementById('data');
const root = document.getElementById('report');
// Cast: the command that writes the page puts its own report here.
if (data && root) render(<ReportPage report={JSON.parse(data.textContent) as EvalReport} />, root);

import { render } from 'preact';
import type { EvalReport } from '../../eval/eval-report.js';
import { ReportPage } from './report-page.js';

const data = document.getElementById('data');
const root = document.getElementById('report');
// Cast: the element contains the report of the command that wrote this page.
if (data && root) render(<ReportPage report={JSON.parse(data.textContent) as EvalReport} />, root);

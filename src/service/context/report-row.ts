import type { ReportItem } from '../../contract/context-report.js';

/** Returns a row of the context report. Omitted fields are 0 or null. */
export const reportRow = ({
  kind,
  id,
  status,
  tokens = 0,
  original_tokens = null,
  lines = null,
  reason = null,
}: Pick<ReportItem, 'kind' | 'id' | 'status'> & Partial<ReportItem>): ReportItem => ({
  kind,
  id,
  status,
  tokens,
  original_tokens,
  lines,
  reason,
});

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { needs } from '../support/needs.js';
import { PrometheusServer, prometheusPrograms, promtool } from '../support/prometheus.js';
import { sendRaw } from '../support/raw-request.js';
import { scrape } from '../support/scrape.js';
import { writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';
import { llmConfig, startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

const folder = 'deploy/prometheus';
const readRules = (file: string): { alert?: string; record?: string; expr: string; annotations?: object }[] =>
  parse(readFileSync(`${folder}/${file}`, 'utf8')).groups.flatMap(({ rules }: { rules: object[] }) => rules);
const rules = [...readRules('stepwise.rules.yaml'), ...readRules('alerts.rules.yaml')];
const recorded = rules.flatMap(({ record }) => record ?? []);

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard: { panels: Panel[] } = JSON.parse(
  readFileSync('deploy/grafana/dashboards/stepwise.json', 'utf8'),
);
/** The queries with their variables replaced, as Grafana sends them. */
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({
    title,
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$(?:job|instance)/g, '.*'),
  })),
);

/** Returns the metric names in a query, without functions, labels and keywords. */
function metricsIn(query: string): string[] {
  const bare = query
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/(?<![\w:])[a-z_][\w:]*(?!\w*\s*\()/gi)]
    .map(([name]) => name)
    .filter((name) => !/^(?:and|or|unless|offset|bool|group_left|group_right|inf|nan|e|\d.*)$/i.test(name));
}

describe('the Prometheus rules (rule: metrics)', () => {
  needs(
    ...prometheusPrograms,
  ).test('promtool accepts the configuration, and each alert passes its own tests', () => {
    expect(promtool(['check', 'config', `${folder}/prometheus.yaml`])).toMatchObject({ ok: true });
    const checked = promtool(['check', 'rules', '--lint=all', '--lint-fatal', ...ruleFiles]);
    expect(checked).toMatchObject({ ok: true });
    expect(promtool(['test', 'rules', `${folder}/alerts.test.yaml`])).toMatchObject({ ok: true });
  });

  test("each alert has a test, and the operators' page describes it in the same words", () => {
    const tests = readFileSync(`${folder}/alerts.test.yaml`, 'utf8');
    const page = readFileSync('docs/operating.md', 'utf8');
    const alerts = rules.filter(({ alert }) => alert !== undefined);
    expect(alerts.length).toBeGreaterThan(14);
    expect(alerts.filter(({ alert = '' }) => !tests.includes(alert))).toEqual([]);
    const rows = [...page.matchAll(/^\| `(Stepwise\w+)` \| (.+) \|$/gm)].map(([, name, text]) => [
      name,
      text,
    ]);
    expect(rows).toEqual(
      alerts.map(({ alert, annotations }) => [alert, Reflect.get(annotations ?? {}, 'runbook')]),
    );
  });
});
const ruleFiles = readdirSync(folder)
  .filter((file) => file.endsWith('.rules.yaml'))
  .map((file) => `${folder}/${file}`);

describe('the queries of dashboard and rules (rule: metrics)', () => {
  test('dashboard and rules query only metrics of the service or recorded from them, and every metric is queried', async () => {
    const service = await startWholeService(undefined, {
      RATE_LIMIT_PER_MINUTE: '1000',
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    const { text } = await scrape(service.url);
    await service.close();
    const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? ['_bucket', '_sum', '_count'].map((suffix) => name + suffix) : name,
    );
    const known = new Set([...names, ...recorded, 'up']);
    const asked = [...queries, ...rules].flatMap(({ expr }) => metricsIn(expr));
    expect(new Set(asked).size).toBeGreaterThan(25);
    expect([...new Set(asked)].filter((name) => !known.has(name))).toEqual([]);
    const ofOurs = [...new Set([...text.matchAll(/^# TYPE (stepwise_\w+)/gm)].map(([, name = '']) => name))];
    const unseen = ofOurs.filter((name) => !asked.some((each) => each.startsWith(name)));
    expect(unseen).toEqual([]);
  });
});

needs(...prometheusPrograms).describe('a Prometheus that scrapes a running service (rule: metrics)', () => {
  const [reader, caller, limited] = [createToken(), createToken(), createToken()];
  const bearing = (token: string) => [['Authorization', `Bearer ${token}`]] as const;
  let service: WholeService;
  let local: FakeProvider;
  let prometheus: PrometheusServer;

  const askLocal = () =>
    sendRaw(service.url, {
      headers: bearing(caller),
      body: stepRequest({ llm_config: { ...llmConfig('openai'), modelName: 'any', provider: 'local' } }),
    });

  beforeAll(async () => {
    local = await startFakeProvider({ text: 'Final Answer: 42', usage: { input: 50, output: 5 } });
    service = await startWholeService(
      { text: 'Final Answer: 42', usage: { input: 100, cachedInput: 60, output: 10 }, delayMs: 300 },
      {
        AUTH_TOKENS_FILE: writeTokenFile(
          { token: reader, name: 'prometheus', projects: [] },
          { token: caller, name: 'caller' },
          { token: limited, name: 'limited', limits: { requestsPerMinute: 1 } },
        ),
        UPSTREAMS: JSON.stringify({ local: { url: `${local.url}/v1`, keyRequired: false } }),
      },
    );
    prometheus = await PrometheusServer.start(service.url, reader);
  }, 60_000);
  afterAll(async () => {
    await prometheus?.stop();
    await service?.close();
    await local?.close();
  });

  test('a token that may only read metrics cannot make a step', async () => {
    expect((await sendRaw(service.url, { headers: bearing(reader) })).status).toBe(403);
  });

  test('promtool accepts the names, types and help texts of all metrics', async () => {
    const { text } = await scrape(service.url, { Authorization: `Bearer ${reader}` });
    expect(promtool(['check', 'metrics'], text)).toEqual({ ok: true, output: '' });
  });

  test('Prometheus records steps, their time, tokens, failures, and callers above a limit', async () => {
    const statuses: number[] = [];
    for (let step = 0; step < 4; step += 1)
      statuses.push((await sendRaw(service.url, { headers: bearing(caller) })).status);
    for (let step = 0; step < 3; step += 1) statuses.push((await askLocal()).status);
    for (let step = 0; step < 3; step += 1)
      statuses.push((await sendRaw(service.url, { headers: bearing(limited) })).status);
    service.fake.script({ fault: 'server-error' });
    statuses.push((await sendRaw(service.url, { headers: bearing(caller) })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429, 429, 502]);
    const steps = 'stepwise_http_requests_total{route="/api/agent/react_step"';
    await until(
      async () => (await prometheus.value(`${steps}, outcome="upstream_error"}`)) === 1,
      Boolean,
      60_000,
    );
    const found = async (query: string): Promise<number> => prometheus.value(query);
    expect(await found(`sum(${steps}, status="200", outcome="answer"})`)).toBe(8);
    expect(await found(`sum(${steps}, status="429"})`)).toBe(2);
    expect(await found('stepwise_limited_requests_total{limit="requests_per_minute"}')).toBe(2);
    expect(await found('stepwise_model_input_tokens_total{upstream="openai"}')).toBe(500);
    expect(await found('stepwise_model_cached_input_tokens_total{upstream="openai"}')).toBe(300);
    expect(await found('stepwise_model_output_tokens_total{upstream="local"}')).toBe(15);
    expect(await found('sum(stepwise_upstream_request_duration_seconds_count{outcome="ok"})')).toBe(8);
    // The five steps of the slow upstream took at least its 300 ms.
    const answers = 'stepwise_step_duration_seconds_bucket{status="direct_response_provided"';
    expect(
      (await found(`${answers}, le="+Inf"}`)) - (await found(`${answers}, le="0.25"}`)),
    ).toBeGreaterThanOrEqual(5);
    expect(await found('stepwise_build_info')).toBe(1);
    expect(await found('up')).toBe(1);
  }, 120_000);

  test('Prometheus accepts every query of the dashboard and returns values for all that have data', async () => {
    expect(queries.length).toBeGreaterThan(30);
    const silent = new Set(queries.map(({ title }) => title));
    const ask = async ({ title, expr }: (typeof queries)[number]): Promise<void> => {
      if ((await prometheus.query(expr)).length > 0) silent.delete(title);
    };
    // These panels stay empty: no caller left, every reply was readable, and the service has no Redis.
    const unheardOf = ['Callers who left', 'Actions that cannot be read', 'Limits shared through Redis'];
    // A rate needs two samples, and a ratio needs a denominator that is not zero.
    await until(
      async () => {
        await askLocal();
        await sendRaw(service.url, { method: 'GET', path: '/api/agent/models', headers: bearing(caller) });
        await Promise.all(queries.map(ask));
        return silent.size <= unheardOf.length;
      },
      Boolean,
      60_000,
    );
    expect([...silent]).toEqual(unheardOf);
  }, 120_000);

  test('alerts fire for a killed upstream and for no other, then for the killed service', async () => {
    service.fake.script({ text: 'Final Answer: 42' });
    await local.close();
    const firing = async (name: string) =>
      (await prometheus.alerts()).filter(
        ({ state, labels }) => state === 'firing' && labels['alertname'] === name,
      );
    await until(
      async () => {
        await Promise.all([askLocal(), sendRaw(service.url, { headers: bearing(caller) })]);
        return (await firing('StepwiseUpstreamFailing')).length > 0;
      },
      Boolean,
      100_000,
    );
    const alerts = await firing('StepwiseUpstreamFailing');
    expect(alerts.map(({ labels }) => labels)).toEqual([
      { alertname: 'StepwiseUpstreamFailing', job: 'stepwise', severity: 'critical', upstream: 'local' },
    ]);
    expect(Reflect.get(alerts[0]?.annotations ?? {}, 'summary')).toMatch(
      /^\d+(\.\d+)?% of the requests to local fail\.$/,
    );
    await service.close();
    await until(async () => (await firing('StepwiseDown')).length > 0, Boolean, 100_000);
  }, 240_000);
});

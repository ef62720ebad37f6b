import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { defaultMaxBytes } from '../../src/service/http/intake/in-flight.js';
import { MEMORY_PER_BYTE } from '../../src/service/http/intake/slot.js';
import { type Config, completeSettings } from '../../src/service/settings/config.js';

type Mapping = Readonly<Record<string, unknown>>;

const read = (path: string): string => readFileSync(path, 'utf8');
const nginx = read('deploy/nginx/stepwise.conf');
const compose = parse(read('compose.yaml'), { merge: true });
const kubernetes = 'deploy/kubernetes';
const base = parse(read(`${kubernetes}/base/kustomization.yaml`));
const pod = parse(read(`${kubernetes}/base/deployment.yaml`)).spec.template.spec;
const autoscaler = parse(read(`${kubernetes}/base/horizontal-pod-autoscaler.yaml`));

/** Environment variables of the image without those of Node. */
const ofImage = Object.fromEntries(
  [...(/^ENV (.*)$/m.exec(read('Dockerfile'))?.[1] ?? '').matchAll(/(\w+)=(\S+)/g)]
    .map(([, name = '', value]) => [name, value] as const)
    .filter(([name]) => name !== 'NODE_ENV'),
);
const ofConfigMap = (literals: readonly string[]) =>
  Object.fromEntries(
    literals.map((literal) => [literal.split('=')[0], literal.split('=').slice(1).join('=')]),
  );

const tokensFile = join(mkdtempSync(join(tmpdir(), 'stepwise-deployment-')), 'tokens.yaml');
writeFileSync(tokensFile, 'tokens: []\n');

/** Validates the settings as the service does; throws `ConfigError` for an unknown name or an invalid value. */
function settingsOf(environment: Mapping): Config {
  // Replaces `${NAME:-default}` by its default, as Compose does.
  const filled = Object.entries(environment).map(([name, value]) => [
    name,
    String(value).replace(/\$\{\w+:-(.*)\}/, '$1'),
  ]);
  return completeSettings({ ...ofImage, ...Object.fromEntries(filled), AUTH_TOKENS_FILE: tokensFile });
}

const { NODE_OPTIONS: optionsOfCompose, ...environmentOfCompose } =
  compose.services['stepwise-1'].environment;
const ofCompose = settingsOf(environmentOfCompose);
const ofKubernetes = settingsOf(ofConfigMap(base.configMapGenerator[0].literals));
const longestEnd = ({ SHUTDOWN_DELAY_MS, SHUTDOWN_GRACE_MS }: Config) =>
  SHUTDOWN_DELAY_MS + SHUTDOWN_GRACE_MS;
/** Converts a duration of nginx or Compose in seconds to milliseconds. */
const milliseconds = (seconds: string | undefined): number => Number.parseInt(seconds ?? '', 10) * 1_000;
const directive = (name: string) => new RegExp(`^ *${name} (.*);`, 'm').exec(nginx)?.[1];

describe('deployment files for several replicas (rules: replicas, shutdown)', () => {
  test('the service accepts all settings in the container files', () => {
    expect(ofCompose).toMatchObject({ HOST: '0.0.0.0', OFFLINE_MODEL: 'off', TRUST_PROXY: 1 });
    expect(ofKubernetes).toMatchObject({ HOST: '0.0.0.0', MAX_IN_FLIGHT: 2_048 });
    expect(() => settingsOf({ REDIS: 'x' })).toThrow('REDIS');
    const valkey = parse(read(`${kubernetes}/components/valkey/kustomization.yaml`));
    expect(settingsOf(ofConfigMap(valkey.configMapGenerator[0].literals)).REDIS_URL).toMatch(/^redis:/);
    expect(compose.services['stepwise-2'].environment).toEqual(compose.services['stepwise-1'].environment);
  });

  test.each([
    ['Compose', optionsOfCompose, compose.services['stepwise-1'].mem_limit, { g: 2 ** 30, m: 2 ** 20 }],
    [
      'Kubernetes',
      pod.containers[0].env.find(({ name }: Mapping) => name === 'NODE_OPTIONS').value,
      pod.containers[0].resources.limits.memory,
      { Gi: 2 ** 30, Mi: 2 ** 20 },
    ],
  ])('the heap limit in %s is half of the memory limit, and operating.md states the resulting limit of bytes in flight (rule: overload)', (_, options, memory, units) => {
    const heap = Number(/^--max-old-space-size=(\d+)$/.exec(options)?.[1]) * 2 ** 20;
    const limit =
      Number.parseInt(memory, 10) * (new Map(Object.entries(units)).get(memory.replace(/\d+/, '')) ?? 0);
    expect([heap, heap * 2]).toEqual([512 * 2 ** 20, limit]);
    const inFlight = Math.round(defaultMaxBytes(heap, limit) / 2 ** 20);
    const written = read('docs/operating.md').replace(/\s+/g, ' ');
    expect(written).toContain(
      `With \`NODE_OPTIONS=--max-old-space-size=${heap / 2 ** 20}\` this is ${inFlight} MiB`,
    );
    expect(inFlight * MEMORY_PER_BYTE * 2 ** 20).toBeLessThan(heap);
  });

  test('each orchestrator waits longer than the shutdown of the service takes', () => {
    expect(milliseconds(compose.services['stepwise-1'].stop_grace_period)).toBeGreaterThan(
      longestEnd(ofCompose),
    );
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(longestEnd(ofKubernetes));
  });

  test('no alert fires for a replica that still finishes its steps', () => {
    const { rules } = parse(read('deploy/prometheus/alerts.rules.yaml')).groups[0];
    const down = rules.find(({ alert }: Mapping) => alert === 'StepwiseDown');
    expect(Number.parseInt(down.for, 10) * 60_000).toBeGreaterThan(ofKubernetes.SHUTDOWN_GRACE_MS + 30_000);
  });

  test('a balancer notices a draining replica before its listener closes', () => {
    expect(milliseconds(directive('keepalive_timeout'))).toBeLessThan(ofCompose.SHUTDOWN_DELAY_MS);
    const { periodSeconds, failureThreshold } = pod.containers[0].readinessProbe;
    expect(periodSeconds * failureThreshold * 1_000).toBeLessThan(ofKubernetes.SHUTDOWN_DELAY_MS);
  });

  test('nginx waits longer than the step slot and accepts larger bodies than the service', () => {
    expect(milliseconds(directive('proxy_read_timeout'))).toBeGreaterThan(ofCompose.STEP_DEADLINE_MS + 1_000);
    expect(Number.parseInt(directive('client_max_body_size') ?? '', 10) * 2 ** 20).toBeGreaterThan(
      ofCompose.MAX_BODY_BYTES,
    );
    expect(directive('proxy_next_upstream')).toBe('error timeout');
  });

  test('nginx does not take a replica out for broken connections, which a caller could cause', () => {
    const servers = [...nginx.matchAll(/^ +server (\S+:\d+)(.*);$/gm)];
    expect(servers.map(([, , options]) => options)).toEqual([' max_fails=0', ' max_fails=0']);
  });

  test('containers see changes of the token file and of the nginx file, since folders are mounted (rule: token-file)', () => {
    const { volumes, environment, secrets } = compose.services['stepwise-1'];
    expect(volumes[0].source).toMatch(/^\$\{TOKENS_FOLDER:-\.\/tokens\}$/);
    // Compose would mount a secret as a single file, whose replacement a container does not see.
    expect([secrets, compose.secrets]).toEqual([undefined, undefined]);
    expect(environment.AUTH_TOKENS_FILE).toBe(`${volumes[0].target}/tokens.yaml`);
    const [source, target] = compose.services.nginx.volumes[0].split(':');
    expect([statSync(source).isDirectory(), target]).toEqual([true, '/etc/nginx/conf.d']);
    const written = ['Dockerfile', 'docs/operating.md', 'docs/reference/service.md'].map(read).join('\n');
    expect(written).toContain(`-v ./tokens:${volumes[0].target}:ro`);
    expect(written).not.toMatch(/-v \S*\.yaml:/);
  });

  test('the autoscaler uses a pod metric only with the component that provides it', () => {
    expect(autoscaler.spec.metrics.map(({ type }: Mapping) => type)).toEqual(['Resource']);
    const { patches } = parse(read(`${kubernetes}/components/prometheus/kustomization.yaml`));
    expect(patches).toEqual([
      {
        path: 'requests-in-flight.yaml',
        target: { kind: 'HorizontalPodAutoscaler', name: autoscaler.metadata.name },
      },
    ]);
  });

  test('the autoscaler and its adapter use an existing metric with a target below MAX_IN_FLIGHT', () => {
    const [{ path, value }] = parse(read(`${kubernetes}/components/prometheus/requests-in-flight.yaml`));
    const { metric, target } = value.pods;
    expect(path).toBe('/spec/metrics/-');
    expect(read('src/service/operations/metrics/state-metrics.ts')).toContain(`'${metric.name}'`);
    expect(read(`${kubernetes}/components/prometheus/adapter-values.yaml`)).toContain(`as: ${metric.name} }`);
    expect(Number(target.averageValue)).toBeLessThan(ofKubernetes.MAX_IN_FLIGHT);
  });

  test('each container runs without root, without capabilities, and on a read-only file system', () => {
    for (const [name, service] of Object.entries<Mapping>(compose.services)) {
      expect([name, service['cap_drop'], service['security_opt']]).toEqual([
        name,
        ['ALL'],
        ['no-new-privileges:true'],
      ]);
      if (name !== 'ollama') expect([name, service['read_only']]).toEqual([name, true]);
    }
    expect(read('Dockerfile')).toMatch(/^USER 1000:1000$/m);
    for (const { spec } of podsOf(kubernetes)) {
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      for (const container of spec.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toMatchObject({ requests: { memory: expect.any(String) }, limits: {} });
      }
    }
  });
});

/** Returns the pod templates of all manifests in a folder. */
function podsOf(folder: string) {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.yaml'))
    .flatMap((path) => parseAllDocuments(read(join(folder, path))))
    .map((document) => document.toJS())
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => spec.template);
  expect(found).toHaveLength(2);
  return found;
}

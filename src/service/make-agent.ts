import { readFileSync } from 'node:fs';
import type { StepError } from '../contract/step.js';
import { fetchVia } from '../network/proxies/fetch-via.js';
import { proxiesFrom } from '../network/proxies/proxies.js';
import { contextSources } from './context/sources/context-sources.js';
import { toFailure } from './http/failure/to-failure.js';
import { sentencesOf } from './http/failure/wire-failure.js';
import type { Agent } from './http/services.js';
import type { ServiceMetrics } from './operations/metrics/service-metrics.js';
import { createModelDirectory } from './providers/create-model-directory.js';
import { recordingStep, type StepSink } from './recording/recording-step.js';
import type { Config } from './settings/config.js';
import { compactHistory } from './step/compaction/compact-history.js';
import { Interruption } from './step/interruption.js';
import { previewStep, reactStep } from './step/react-step.js';
import { version } from './version.js';
import type { WatchRoom } from './watching/watch-room.js';

/** Replaces the path of a file of certificates by its contents. The file was checked with the settings. */
const withCertificates = <Entry extends { readonly caFile?: string | undefined }>({
  caFile,
  ...entry
}: Entry) => ({
  ...entry,
  ...(caFile !== undefined && { ca: readFileSync(caFile, 'utf8') }),
});

/**
 * Time to connect to the context service. It is shorter than the time limit of a response, so that a proxy that
 * does not answer is reported as the cause.
 */
const contextConnections = { connectTimeoutMs: 4_000 };

interface AgentOptions {
  /** Counts steps and requests; by default nothing is counted. */
  readonly metrics?: ServiceMetrics | undefined;
  /** Starts the embedded model. Resolves with its loopback URL, which ends in `/v1`. */
  readonly startOffline: () => Promise<string>;
  /** Receives each step that a model answered; by default none is recorded. */
  readonly record?: StepSink | undefined;
  /** Shows each step to watchers; by default nothing is shown. */
  readonly watch?: WatchRoom | undefined;
}

/**
 * Creates the agent. Its imports are more than half of all code, so this file is loaded after the service
 * listens.
 */
export function makeAgent(config: Config, { metrics, startOffline, record, watch }: AgentOptions): Agent {
  const { openai = {}, anthropic = {}, ...upstreams } = config.UPSTREAMS;
  const step = recordingStep(reactStep, {
    sink: record,
    version,
    ...(watch && { watch: { begin: (step) => watch.begin(step), explain: describeEnd } }),
  });
  const models = createModelDirectory({
    ...(metrics && { observe: metrics.upstreams.observe }),
    openaiUrl: config.OPENAI_UPSTREAM_URL,
    anthropicUrl: config.ANTHROPIC_UPSTREAM_URL,
    gateways: { openai: withCertificates(openai), anthropic: withCertificates(anthropic) },
    upstreams: Object.fromEntries(
      Object.entries(upstreams).map(([name, upstream]) => [name, withCertificates(upstream)]),
    ),
    proxyFor: proxiesFrom(config),
    ...(config.OFFLINE_MODEL === 'on' && { startOffline }),
  });
  for (const { name } of models.list().upstreams) metrics?.upstreams.begin(name);
  return {
    models,
    step: metrics?.timed(step) ?? step,
    preview: previewStep,
    compact: compactHistory,
    sourcesFor: contextSources(config, fetchVia(config, contextConnections)),
  };
}

/** Describes the error that ended a step to its watchers. If the caller left, the code is `caller_left`. */
function describeEnd(thrown: unknown): Pick<StepError, 'code' | 'message'> {
  if (thrown instanceof Interruption && thrown.reason === 'caller_left')
    return { code: 'caller_left', message: 'The caller left before the step ended.' };
  const failure = toFailure(thrown);
  return { code: failure.code, message: [failure.message, ...sentencesOf(failure)].join(' ') };
}

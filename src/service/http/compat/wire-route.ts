import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { ContextReport } from '../../../contract/context-report.js';
import type { Parse, Warning } from '../../../contract/step.js';
import { type Answered, answerRequest } from '../../compat/answer-request.js';
import { readStates } from '../../compat/client-state.js';
import { chooseBudget, toStepRequest } from '../../compat/to-step-request.js';
import type { AnswerIdentity, Wire, WireExchange } from '../../compat/wire.js';
import { attachmentWarnings } from '../../step/history/attachments.js';
import { BudgetExceeded } from '../../step/interruption.js';
import { observeCalls } from '../../step/observe-calls.js';
import type { StepInput } from '../../step/react-step.js';
import type { StepDependencies } from '../../step/step-dependencies.js';
import { logBug } from '../failure/error-handler.js';
import { connect, promptDependencies, receive } from '../intake/accept-request.js';
import type { Slot } from '../intake/slot.js';
import { keepKeyOut, type RequestState } from '../middleware/request-state.js';
import { modelKeyOf } from '../middleware/wire-credentials.js';
import { sendAnswer } from '../routes/send-answer.js';
import { record } from '../routes/step-routes.js';
import type { LoadedServices } from '../services.js';
import { type RoutedModel, routeModel, type Windows } from './route-model.js';
import { readSettings, type WireSettings } from './wire-settings.js';
import { WireStream } from './wire-stream.js';

interface WireServices extends LoadedServices {
  readonly windows: Windows;
}

/** A request that was accepted, read and routed. */
interface AcceptedExchange {
  readonly exchange: WireExchange;
  readonly settings: WireSettings;
  readonly routed: RoutedModel;
  readonly input: StepInput;
  readonly sentKey: string | undefined;
  readonly slot: Slot;
  readonly state: RequestState;
}

/**
 * Reads a request to a compatible endpoint whose API format is `wire`. The cheapest checks come first: headers,
 * load, body, model. Throws `RequestRefused`, `StepRefused` or `Interruption`.
 */
async function acceptExchange(
  wire: Wire,
  { request, response }: { readonly request: Request; readonly response: Response },
  services: WireServices,
): Promise<AcceptedExchange> {
  const settings = readSettings(request);
  const sentKey = modelKeyOf(request, services.tokens);
  if (sentKey) keepKeyOut(response, sentKey);
  const received = await receive({ request, response }, services, { isLenient: true });
  const { slot, state } = received;
  const read = withWarnings(await wire.read(received.body, slot.signal), received.warnings);
  const routed = routeModel(read.request.model, services.agent.models);
  const { provider, modelName } = routed;
  const { maxOutputTokens } = read.request.settings;
  const tokenLimit = settings.tokenLimit ?? services.windows.of(routed, state.key);
  const budget = chooseBudget(tokenLimit, maxOutputTokens);
  const chosen = services.agent.models.settingsOf(provider, modelName)?.protocol;
  const exchange = withStates(read, routed);
  setWarningsHeader(response, exchange.request, routed);
  const input = toStepRequest(exchange.request, {
    ...budget,
    provider,
    modelName,
    protocol: settings.protocol ?? chosen ?? 'auto',
    caller: state.caller?.name,
  });
  state.echo = { sessionId: input.session_id, iterationsLeft: null, history: null };
  state.maxPromptTokens = budget.tokenLimit - budget.outputLimit;
  slot.announceReply(budget.outputLimit);
  slot.start(services.deadlineMs);
  return { exchange, settings, routed, input, sentKey, slot, state };
}

/** Prepares the provider states in a conversation for the requested model (rule: compatible-state). */
function withStates(exchange: WireExchange, { model }: RoutedModel): WireExchange {
  const { request } = exchange;
  const { turns, warnings } = readStates(request.turns, model.profile.stateOrigin);
  return withWarnings({ ...exchange, request: { ...request, turns } }, warnings);
}

function withWarnings(exchange: WireExchange, warnings: readonly Warning[]): WireExchange {
  const { request } = exchange;
  return { ...exchange, request: { ...request, warnings: [...request.warnings, ...warnings] } };
}

/**
 * Sets a header with the codes of all warnings about a request (rule: compatible-report). Includes the warnings about
 * attachments already here, because a step reports them only after the headers of a stream were sent.
 */
function setWarningsHeader(
  response: Response,
  { turns, warnings }: WireExchange['request'],
  { model }: RoutedModel,
): void {
  const all = [...warnings, ...attachmentWarnings(turns, model.profile.vision)];
  const codes = [...new Set(all.map(({ code }) => code))];
  if (codes.length > 0) response.setHeader('X-Stepwise-Warnings', codes.join(', '));
}

/** Returns the handler of a compatible endpoint, for plain and streamed responses (rule: compatible-wires). */
export function answerWire(wire: Wire, services: WireServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptExchange(wire, { request, response }, services);
    const { exchange, routed, input, state, sentKey } = accepted;
    const { provider, redact } = connect(routed.model, { sentKey, request: input, state });
    const identity = identityOf(exchange);
    const stream = exchange.isStreamed
      ? new WireStream(response, exchange.openStream(identity), state)
      : undefined;
    if (stream) state.events = stream;
    const dependencies: StepDependencies = {
      ...promptDependencies(routed.model, accepted),
      sources: [],
      provider: observeCalls(provider, () => stream && { event: () => stream.start() }),
      redact,
      now: () => new Date(),
      origin: { requestId: state.id, endpoint: wire.endpoint },
    };
    const { corrections, reports } = accepted.settings;
    const answered = await answerRequest(exchange.request, input, {
      step: (step, observer) =>
        services.agent.step(step, dependencies, observer).then((result) => record(result, state)),
      corrections,
      reports,
      identity,
      newId,
      sink: stream,
      contextBuilt: (report) => setReportHeaders(response, report),
      correctionFailed: (error) => logBug(services.log, error, state),
    });
    if (stream) stream.end(answered.answer);
    else sendWhole(response, exchange, answered);
  };
}

/** Returns the handler that counts the tokens of a prompt (rule: messages-count). Makes no model call and needs no key. */
export function answerCount(wire: Wire, services: WireServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptExchange(wire, { request, response }, services);
    const dependencies = { ...promptDependencies(accepted.routed.model, accepted), sources: [] };
    const tokens = await services.agent
      .preview(accepted.input, dependencies)
      .then(({ context_report: report }) => report.prompt_tokens, tokensOfTooLong);
    sendAnswer(response, { input_tokens: tokens });
  };
}

/** Returns the tokens of a prompt that does not fit; throws any other error again. */
function tokensOfTooLong(error: unknown): number {
  if (error instanceof BudgetExceeded) return error.size.promptTokens;
  throw error;
}

function sendWhole(response: Response, exchange: WireExchange, { answer, first, result }: Answered): void {
  if (first.context_report) setReportHeaders(response, first.context_report);
  if (result.parse) response.setHeader('X-Stepwise-Parse', describeParse(result.parse, result));
  sendAnswer(response, exchange.writeAnswer(answer));
}

/** Describes how the reply was parsed, as the value of a header. */
function describeParse(
  { outcome, dialect, confidence }: Parse,
  { warnings }: Pick<Answered['result'], 'warnings'>,
): string {
  const read = dialect === null ? outcome : `${outcome}; dialect=${dialect}; confidence=${confidence}`;
  const isMismatch = warnings.some(({ code }) => code === 'answer_mismatch');
  return isMismatch ? `${read}; problem=answer_mismatch` : read;
}

const ID_BYTES = 12;
const newId = (): string => randomBytes(ID_BYTES).toString('hex');

function identityOf({ request: { model } }: WireExchange): AnswerIdentity {
  return { id: newId(), createdAt: Math.floor(Date.now() / 1_000), model };
}

/**
 * Sets the headers that report how long the prompt is, and how much of the conversation was left out of it
 * (rule: compatible-report).
 */
function setReportHeaders(response: Response, { prompt_tokens, items }: ContextReport): undefined {
  const isLeftOut = new Set(['truncated', 'masked', 'dropped']);
  const leftOut = items.filter(({ kind, status }) => kind !== 'tool' && isLeftOut.has(status)).length;
  response.setHeader('X-Stepwise-Prompt-Tokens', String(prompt_tokens));
  response.setHeader('X-Stepwise-Left-Out', String(leftOut));
}

import { openTelemetryCollector } from '../support/collector.js';
import { needs } from '../support/needs.js';
import { describeSpans } from './describe-spans.js';

needs(openTelemetryCollector).describe('the spans of a step, sent to a real collector (rule: tracing)', () =>
  describeSpans('a real collector'));

import { describe } from '@jest/globals';
import { describeSpans } from './describe-spans.js';

describe('the spans of a step, sent to a receiver of JSON (rule: tracing)', () =>
  describeSpans('a receiver of JSON'));

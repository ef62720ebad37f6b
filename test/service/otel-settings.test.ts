import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigError, completeSettings, readConfig } from '../../src/service/config.js';
import { tracingOptions } from '../../src/service/otel-settings.js';
import { printConfig } from '../../src/service/print-config.js';
import {
  certificatePem,
  privateKeyPem,
  shortCertificatePem,
  shortPrivateKeyPem,
} from '../support/certificate.js';

const collector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/' };

const folder = mkdtempSync(join(tmpdir(), 'stepwise-otel-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fileOf = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const certificate = fileOf('certificate.pem', certificatePem);
const privateKey = fileOf('key.pem', privateKeyPem);
const both = fileOf('both.pem', `${certificatePem}${privateKeyPem}`);
const garbage = fileOf('canary.pem', 'canary');

const optionsOf = (environment: Record<string, string>) => tracingOptions(readConfig(environment));

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('what is recorded, and where it goes (rule: tracing-settings)', () => {
  test('a collector alone: everything else has its default', () => {
    expect(optionsOf(collector)).toEqual({
      url: 'http://127.0.0.1:4318/v1/traces',
      protocol: 'http/protobuf',
      headers: {},
      timeoutMs: 10_000,
      compression: 'NONE',
      certificates: { ca: undefined, cert: undefined, key: undefined },
      sampler: { name: 'parentbased_always_on', ratio: 1 },
      resource: {},
      batch: {
        scheduledDelayMillis: 5_000,
        exportTimeoutMillis: 30_000,
        maxQueueSize: 2_048,
        maxExportBatchSize: 512,
      },
    });
  });

  test('what is said of traces goes before what is said of all; headers are added', () => {
    const options = optionsOf({
      ...collector,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/own/path',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20one,x-a=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: ' authorization = Bearer%20two ',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '2000',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_CERTIFICATE: certificate,
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: both,
      OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: privateKey,
    });
    expect(options).toMatchObject({
      url: 'https://traces.example/own/path',
      headers: { authorization: 'Bearer two', 'x-a': '1' },
      protocol: 'http/json',
      timeoutMs: 2_000,
      compression: 'GZIP',
      certificates: { ca: certificate, cert: both, key: privateKey },
    });
  });

  test.each([
    ['http://c.example', 'http://c.example/v1/traces'],
    ['http://c.example/?tenant=a/b', 'http://c.example/v1/traces?tenant=a/b'],
    ['https://c.example/otlp/?tenant=a', 'https://c.example/otlp/v1/traces?tenant=a'],
    ['https://me:word@c.example/otlp#top', 'https://me:word@c.example/otlp/v1/traces#top'],
  ])('the path of %s is what is made longer', (OTEL_EXPORTER_OTLP_ENDPOINT, url) => {
    expect(optionsOf({ OTEL_EXPORTER_OTLP_ENDPOINT })?.url).toBe(url);
  });

  test('who it is about, and which traces', () => {
    const options = optionsOf({
      ...collector,
      OTEL_SERVICE_NAME: 'agents',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,team=a%2Cb',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '.25',
    });
    expect(options?.resource).toEqual({ 'service.name': 'agents', team: 'a,b' });
    expect(options?.sampler).toEqual({ name: 'parentbased_traceidratio', ratio: 0.25 });
  });

  test.each([
    {},
    { OTEL_SERVICE_NAME: 'agents', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { ...collector, OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    { ...collector, OTEL_TRACES_EXPORTER: 'none' },
  ])('%j records nothing, and starts', (environment) => {
    expect(optionsOf(environment)).toBeUndefined();
  });

  test('settings in code mean the same, and a complete configuration comes out as it went in', () => {
    const config = completeSettings({
      ...collector,
      OTEL_BSP_MAX_QUEUE_SIZE: 10,
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
    });
    expect(tracingOptions(config)?.batch).toMatchObject({ maxQueueSize: 10, maxExportBatchSize: 5 });
    expect(completeSettings(config)).toEqual(config);
  });
});

describe('what is not understood ends the start with what to write instead (rule: tracing-settings)', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'canary:4317', /expected an http or https URL/],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://[canary', /expected an http or https URL/],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      'canary',
      /expected names and values such as authorization=Bearer%20TOKEN/,
    ],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=canary%', /expected names and values such as/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=canary%0d%0a', /expected values of printable ASCII/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'x-a=1,Host=canary', /expected none of the headers that belong/],
    ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'content-length=5', /expected none of the headers that belong/],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'grpc', /over HTTP only/],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /over HTTP only: write http\/protobuf, and the port .* 4318/],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'canary', /http\/protobuf/],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s', /expected a whole number from 1/],
    ['OTEL_EXPORTER_OTLP_COMPRESSION', 'canary', /gzip/],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', '/canary.pem', /expected a PEM file that exists/],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', garbage, /expected a PEM file of one certificate or more/],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', privateKey, /expected a PEM file of one certificate or more/],
    [
      'OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE',
      fileOf('canary-cut.pem', `${certificatePem}${certificatePem.slice(0, 200)}`),
      /expected a PEM file of one certificate or more/,
    ],
    ['OTEL_EXPORTER_OTLP_CLIENT_KEY', garbage, /expected a PEM file of a private key/],
    ['OTEL_EXPORTER_OTLP_CLIENT_KEY', certificate, /expected a PEM file of a private key/],
    [
      'OTEL_EXPORTER_OTLP_CLIENT_KEY',
      privateKey,
      /expected its certificate in OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE/,
    ],
    [
      'OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE',
      certificate,
      /expected its private key in OTEL_EXPORTER_OTLP_CLIENT_KEY/,
    ],
    ['OTEL_RESOURCE_ATTRIBUTES', 'canary', /expected names and values such as deployment/],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', /parentbased_traceidratio/],
    ['OTEL_TRACES_SAMPLER_ARG', '2', /expected a number from 0 to 1/],
    ['OTEL_TRACES_SAMPLER_ARG', 'canary', /expected a number from 0 to 1/],
    ['OTEL_TRACES_EXPORTER', 'zipkin', /otlp/],
    ['OTEL_SDK_DISABLED', 'yes', /true/],
    ['OTEL_BSP_SCHEDULE_DELAY', '0', /expected a whole number from 1/],
    ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '4096', /expected at most OTEL_BSP_MAX_QUEUE_SIZE, which is 2048/],
  ])('%s=%s', (name, value, words) => {
    const problems = problemsOf({ ...collector, [name]: value });
    expect(problems).toEqual([expect.stringMatching(words)]);
    expect(problems[0]).toMatch(new RegExp(`^${name}: `));
    expect(problems[0]).not.toMatch(/canary/);
  });

  test('a key of another certificate', () => {
    const { privateKey: other } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const problems = problemsOf({
      ...collector,
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: certificate,
      OTEL_EXPORTER_OTLP_CLIENT_KEY: fileOf('other.pem', other),
    });
    expect(problems).toEqual([
      'OTEL_EXPORTER_OTLP_CLIENT_KEY: expected the private key of the certificate in OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE',
    ]);
  });

  test('a key that is too short for TLS', () => {
    const problems = problemsOf({
      ...collector,
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: fileOf('short.pem', shortCertificatePem),
      OTEL_EXPORTER_OTLP_CLIENT_KEY: fileOf('short-key.pem', shortPrivateKeyPem),
    });
    expect(problems).toEqual([
      'OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: expected a certificate that TLS takes, such as one of 2048 bits of RSA',
    ]);
  });

  test('a certificate and a key of which neither can be read are two problems', () => {
    const problems = problemsOf({
      ...collector,
      OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: garbage,
      OTEL_EXPORTER_OTLP_CLIENT_KEY: garbage,
    });
    expect(problems).toEqual([
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: expected a PEM file/),
      expect.stringMatching(/^OTEL_EXPORTER_OTLP_CLIENT_KEY: expected a PEM file/),
    ]);
  });

  test('a name that is written otherwise is not taken for one of others (rule: settings)', () => {
    expect(problemsOf({ otel_service_name: 'x' })).toEqual([
      'otel_service_name: there is no such setting; OTEL_SERVICE_NAME is one',
    ]);
  });
});

test('the values of headers are masked when the configuration is printed, and what a URL may hide (rule: settings)', () => {
  const printed = printConfig(
    completeSettings({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://me:canary@collector.example',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20canary==,x-a=canary',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-b=canary',
    }),
  );
  expect(printed).not.toMatch(/canary/);
  expect(JSON.parse(printed)).toMatchObject({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://***@collector.example/',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=***,x-a=***',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-b=***',
  });
});

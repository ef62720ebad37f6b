import { describe, expect, test } from '@jest/globals';
import { proxiesFrom } from '../../../../src/service/providers/upstream/proxies.js';

const settings = { HTTP_PROXY: 'http://plain.proxy:3128', HTTPS_PROXY: 'http://tls.proxy:3128' };
const proxyOf = (url: string, NO_PROXY?: string) => proxiesFrom({ ...settings, NO_PROXY })(new URL(url));

describe('the proxy for an upstream (rule: proxies)', () => {
  test('an upstream uses the proxy of its scheme', () => {
    expect(proxyOf('http://models.example/v1')).toBe(settings.HTTP_PROXY);
    expect(proxyOf('https://models.example/v1')).toBe(settings.HTTPS_PROXY);
    expect(proxiesFrom({})(new URL('https://models.example'))).toBeUndefined();
  });

  test.each([
    'http://localhost:11434',
    'http://models.localhost',
    'http://127.0.0.1:11434',
    'http://127.8.9.10',
    'http://[::1]:8080',
    'http://[::ffff:127.0.0.1]',
    'https://localhost',
  ])('the loopback address %s uses no proxy', (url) => {
    expect(proxyOf(url)).toBeUndefined();
  });

  test.each([
    ['*', 'https://models.example'],
    ['models.example', 'https://models.example'],
    ['MODELS.example', 'https://models.example'],
    ['example', 'https://models.example'],
    ['.example', 'https://models.example'],
    ['*.example', 'https://models.example'],
    ['other.test, models.example', 'https://models.example'],
    ['other.test models.example', 'https://models.example'],
    ['models.example:443', 'https://models.example'],
    ['models.example:8000', 'http://models.example:8000'],
    ['10.0.0.7', 'http://10.0.0.7:8000'],
    ['fd00::7', 'http://[fd00::7]:8000'],
    ['[fd00::7]:8000', 'http://[fd00::7]:8000'],
  ])('NO_PROXY %s covers %s', (entries, url) => {
    expect(proxyOf(url, entries)).toBeUndefined();
  });

  test.each([
    ['', 'https://models.example'],
    ['odels.example', 'https://models.example'],
    ['models.example', 'https://models.example.org'],
    ['models.example:8000', 'https://models.example'],
    ['127.0.0.1', 'https://models.example'],
  ])('NO_PROXY %j does not cover %s', (entries, url) => {
    expect(proxyOf(url, entries)).toBe(settings.HTTPS_PROXY);
  });
});

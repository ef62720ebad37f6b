import { describe, expect, test } from '@jest/globals';
import { proxiesFrom } from '../../../src/network/proxies/proxies.js';

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
    'https://localhost.:8443',
    'http://0.0.0.0:11434',
    'http://[::]:11434',
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
    ['[fd00::7]', 'https://[fd00::7]'],
    ['FD00:0:0::7', 'https://[fd00::7]'],
    ['10.0.0.0/8', 'https://10.1.2.3:8443'],
    ['192.168.1.128/25', 'http://192.168.1.200'],
    ['10.0.0.7/32', 'http://10.0.0.7'],
    ['0.0.0.0/0', 'https://203.0.113.9'],
    ['fd00::/8', 'https://[fd12:3456::1]'],
    ['[fd00::]/8', 'https://[fd12:3456::1]'],
    ['models.example.', 'https://models.example'],
    ['models.example', 'https://models.example.'],
    ['münchen.example', 'https://api.münchen.example'],
    ['example:8443', 'https://models.example:8443'],
    ['a.test,,  ,models.example,', 'https://models.example'],
  ])('NO_PROXY %s covers %s', (entries, url) => {
    expect(proxyOf(url, entries)).toBeUndefined();
  });

  test.each([
    ['', 'https://models.example'],
    ['odels.example', 'https://models.example'],
    ['models.example', 'https://models.example.org'],
    ['models.example:8000', 'https://models.example'],
    ['127.0.0.1', 'https://models.example'],
    ['10.0.0.0/8', 'https://11.0.0.1'],
    ['10.0.0.0/8', 'https://10.example'],
    ['10.0.0.0/33', 'https://10.0.0.1'],
    ['10.0.0/8', 'https://10.0.0.1'],
    ['fd00::/8', 'https://[fe80::1]'],
    ['0.0.7', 'https://10.0.0.7'],
    ['https://', 'https://models.example'],
    [',', 'https://models.example'],
    ['.', 'https://models.example'],
    ['*.', 'https://models.example'],
    ['[', 'https://models.example'],
    [':443', 'https://models.example'],
  ])('NO_PROXY %j does not cover %s', (entries, url) => {
    expect(proxyOf(url, entries)).toBe(settings.HTTPS_PROXY);
  });
});

import { describe, expect, test } from '@jest/globals';
import { proxiesFrom } from '../../../src/network/proxies/proxies.js';
import { readProxies } from '../../../src/network/proxies/proxy-settings.js';

describe('the proxy variables (rule: proxies)', () => {
  test.each([
    [{ HTTPS_PROXY: 'http://proxy.example:3128' }, 'http://proxy.example:3128'],
    [{ https_proxy: 'http://proxy.example:3128' }, 'http://proxy.example:3128'],
    [{ HTTPS_PROXY: 'proxy.example:3128' }, 'http://proxy.example:3128'],
    [{ HTTPS_PROXY: 'user:word@proxy.example' }, 'http://user:word@proxy.example'],
    [{ HTTPS_PROXY: ' https://proxy.example/ ' }, 'https://proxy.example/'],
    [{ HTTPS_PROXY: 'http://upper', https_proxy: 'http://lower' }, 'http://upper'],
    [{ HTTPS_PROXY: '', https_proxy: 'http://lower' }, 'http://lower'],
    [{ HTTPS_PROXY: '  ', https_proxy: '' }, undefined],
    [{ HTTP_PROXY: 'http://proxy.example' }, undefined],
    [{ ALL_PROXY: 'http://proxy.example', all_proxy: 'http://proxy.example' }, undefined],
    [{ HTTPS_PROXY: 'http://proxy.example', no_proxy: '.example' }, undefined],
    [{}, undefined],
  ])('with the variables %j, an https server is reached through the proxy %s', (environment, proxy) => {
    expect(proxiesFrom(readProxies(environment))(new URL('https://models.example'))).toBe(proxy);
  });

  test.each([
    'socks5://user:secret-word@proxy.example:1080',
    'ftp://secret-word',
    'http://user:secret-word#1@proxy.example',
    'http://user:secret-word/1@proxy.example',
    'http://user:1/secret-word@proxy.example',
    'http://proxy.example/secret-word.pac',
    'http://',
    'http://proxy.example:secret-word',
    'not a secret-word',
  ])('the invalid proxy URL %s is refused with the name of its variable and without its value', (HTTP_PROXY) => {
    const read = () => readProxies({ HTTP_PROXY });
    expect(read).toThrow(/^HTTP_PROXY: expected the http or https URL of a proxy/);
    expect(read).not.toThrow(/secret-word/);
  });
});

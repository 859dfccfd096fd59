import { parseRpcEndpoint } from './rpc-endpoint.js';

describe('parseRpcEndpoint', () => {
  it('keeps credentials out of the address and of its label', () => {
    const endpoint = parseRpcEndpoint('https://user:p%40ss@node.example:8545/v3/0123456789abcdef?apikey=secret-key');
    expect(endpoint.url).toBe('https://node.example:8545/v3/0123456789abcdef?apikey=secret-key');
    expect(endpoint.headers).toEqual({ authorization: `Basic ${Buffer.from('user:p@ss').toString('base64')}` });
    expect(endpoint.label).toBe('https://node.example:8545');
  });

  it('sends the API key of TronGrid in its own header, and finds paths below the URL', () => {
    const endpoint = parseRpcEndpoint('https://TRON-PRO-API-KEY:0123-secret@node.example/tron/?network=nile');
    expect(endpoint.headers).toEqual({ 'TRON-PRO-API-KEY': '0123-secret' });
    expect(endpoint.at('wallet/getblock')).toBe('https://node.example/tron/wallet/getblock?network=nile');
    expect(`${endpoint.url} ${endpoint.label} ${endpoint.redact('bad key 0123-secret')}`).not.toContain('0123-secret');
  });

  it('removes keys and control characters from a message of a node, and shortens it', () => {
    const endpoint = parseRpcEndpoint('https://user:p%40ss@node.example/v3/0123456789abcdef?apikey=secret-key');
    const said = endpoint.redact(`bad\nkey 0123456789abcdef or secret-key or p@ss ${'x'.repeat(500)}`);
    expect(said).toMatch(/^bad key \*\*\* or \*\*\* or \*\*\* x+$/);
    expect(said).toHaveLength(200);
  });

  it.each(['not a url with-secret', 'ftp://with-secret@host', ''])('refuses %j without repeating it', (text) => {
    const parse = (): unknown => parseRpcEndpoint(text);
    expect(parse).toThrow('must be absolute and start with http:// or https://');
    expect(parse).not.toThrow('with-secret');
  });
});

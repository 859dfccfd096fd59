import { CannedTron } from '../../../test/support/canned-tron.js';
import { TronHttp } from './tron-http.js';

let node: CannedTron;
let solid: CannedTron;
beforeAll(async () => {
  [node, solid] = await Promise.all([CannedTron.start(), CannedTron.start()]);
});
afterAll(() => Promise.all([node.stop(), solid.stop()]));
beforeEach(() => {
  for (const { asked } of [node, solid]) asked.length = 0;
});

async function pathsAskedBy(url: string): Promise<readonly string[][]> {
  const http = new TronHttp(url);
  await http.ask('wallet', 'getblock', {});
  await http.ask('walletsolidity', 'getblock', {});
  await http.close();
  return [node, solid].map((one) => one.asked.map(({ path }) => path));
}

describe('the interfaces of a node of Tron', () => {
  it('are both below its URL', async () => {
    expect(await pathsAskedBy(node.url)).toEqual([['wallet/getblock', 'walletsolidity/getblock'], []]);
  });

  it('are at two ports where the fragment of the URL states the one of final blocks', async () => {
    const { port } = new URL(solid.url);
    expect(await pathsAskedBy(`${node.url}#solidity=${port}`)).toEqual([
      ['wallet/getblock'],
      ['walletsolidity/getblock'],
    ]);
  });

  it.each(['#8091', '#solidity=port', '#solidity=80910000', '#secret'])(
    'refuses the fragment %s without repeating it',
    (text) => {
      const open = (): unknown => new TronHttp(`${node.url}${text}`);
      expect(open).toThrow('may end in #solidity=PORT');
      expect(open).not.toThrow(text);
    },
  );
});

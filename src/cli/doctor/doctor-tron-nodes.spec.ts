import { CannedTron } from '../../../test/support/canned-tron.js';
import { parseConfig } from '../../platform/config.js';
import { checkChainNodes } from './doctor-chain-nodes.js';
import type { Finding } from './doctor-finding.js';

const HOUR_MS = 3_600_000;

describe('a node of tron', () => {
  const NILE = '0000000000000000d698d4192c56cb6be724a558448e2684802de4d6cd8690dc';
  const HEAD = 1_000;
  let node: CannedTron;
  beforeAll(async () => {
    node = await CannedTron.start();
  });
  afterAll(() => node.stop());

  /** Answers as Nile does; `solid` is its newest final block, and USDT has these decimals. */
  async function examined({ ageMs = 1_000, solid = HEAD - 19, decimals = '6' } = {}): Promise<readonly Finding[]> {
    const blockOf = (height: number) => ({
      blockID: height === 0 ? NILE : height.toString(16).padStart(16, '0').padEnd(64, 'a'),
      block_header: {
        raw_data: { ...(height > 0 && { number: height }), parentHash: NILE, timestamp: Date.now() - ageMs },
      },
    });
    const block = (newest: number) => (body: string) => {
      const { id_or_num: asked } = JSON.parse(body) as { id_or_num?: string };
      return { json: blockOf(asked === undefined ? newest : Number(asked)) };
    };
    node.answers = {
      'wallet/getblock': block(HEAD),
      'walletsolidity/getblock': block(solid),
      'wallet/triggerconstantcontract': {
        json: { result: { result: true }, constant_result: [decimals.padStart(64, '0')] },
      },
    };
    return checkChainNodes(parseConfig({ DATA_DIR: '/nowhere', DEV_CHAINS: 'none', SANDBOX_TRON_RPC_URL: node.url }));
  }

  it('in sync with the listed token is fine: with lag and finality', async () => {
    expect(await examined()).toEqual([
      {
        check: 'node sandbox/tron',
        level: 'ok',
        detail: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+, [\d.]+ s behind, final 19 blocks below its head$/),
        fix: null,
      },
    ]);
  });

  it('that lags, or whose final block stands still, is a warning each', async () => {
    expect(await examined({ ageMs: HOUR_MS, solid: HEAD - 151 })).toMatchObject([
      { level: 'warn', detail: expect.stringMatching(/is 360\d\.\d s behind$/) },
      { level: 'warn', detail: expect.stringContaining('finality is 151 blocks behind') },
    ]);
  });

  it('whose token has other decimals is a failure, and so is a node that answers nothing', async () => {
    expect(await examined({ decimals: '12' })).toMatchObject([
      { level: 'fail', detail: expect.stringContaining('(USDT) has 18 decimals, and 6 are listed') },
    ]);
    node.answers = {};
    const config = parseConfig({ DATA_DIR: '/nowhere', DEV_CHAINS: 'none', SANDBOX_TRON_RPC_URL: node.url });
    expect(await checkChainNodes(config)).toMatchObject([{ check: 'node sandbox/tron', level: 'fail' }]);
  });
});

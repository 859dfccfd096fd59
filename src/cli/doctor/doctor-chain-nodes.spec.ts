import { CannedTron } from '../../../test/support/canned-tron.js';
import { ProxyNode } from '../../../test/support/proxy-node.js';
import { SolanaLab } from '../../../test/support/solana-lab.js';
import { parseConfig } from '../../platform/config.js';
import { checkChainNodes } from './doctor-chain-nodes.js';
import type { Finding } from './doctor-finding.js';

const GENESIS = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
const USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';

let lab: SolanaLab;
let mint: string;
let proxy: ProxyNode;

beforeAll(async () => {
  lab = await SolanaLab.open();
  await lab.settle();
  mint = (await lab.controls.info()).mints['USDC'] ?? '';
  proxy = await ProxyNode.start(lab.chain.url);
});
afterAll(async () => {
  await proxy.stop();
  await lab.close();
});

/** Asks the development chain, which plays devnet as far as nothing else is said. */
async function examined(answers: Readonly<Record<string, unknown>> = {}, usdc = mint): Promise<readonly Finding[]> {
  const said: Readonly<Record<string, unknown>> = { getGenesisHash: GENESIS, ...answers };
  proxy.lie = async ({ method, params }, ask) => {
    const answer = said[method];
    if (answer !== undefined) return typeof answer === 'function' ? (answer as () => unknown)() : answer;
    const asDevelopment = JSON.parse(JSON.stringify(params).replace(USDC, usdc)) as readonly unknown[];
    return (await ask({ method, params: asDevelopment }))['result'];
  };
  return checkChainNodes(parseConfig({ DATA_DIR: '/nowhere', DEV_CHAINS: 'none', SANDBOX_SOLANA_RPC_URL: proxy.url }));
}

/** A block without transactions. */
const blockOf = (ageMs: number) => ({
  blockhash: GENESIS,
  previousBlockhash: GENESIS,
  parentSlot: 0,
  blockTime: Math.floor((Date.now() - ageMs) / 1000),
});
const HOUR_MS = 3_600_000;

describe('a node of solana', () => {
  it('in sync, with history and the listed tokens, is fine: with version, lag and finality', async () => {
    expect(await examined()).toEqual([
      {
        check: 'node sandbox/solana',
        level: 'ok',
        detail: expect.stringMatching(
          /^http:\/\/127\.0\.0\.1:\d+, version \S+, [\d.]+ s behind, final \d+ slots below its head$/,
        ),
        fix: null,
      },
    ]);
  });

  it('of another chain, or that does not answer, is not used', async () => {
    expect(await examined({ getGenesisHash: mint })).toMatchObject([
      { level: 'fail', detail: expect.stringContaining(mint) },
    ]);
    const silent = parseConfig({
      DATA_DIR: '/nowhere',
      DEV_CHAINS: 'none',
      SANDBOX_SOLANA_RPC_URL: 'http://127.0.0.1:1',
    });
    expect(await checkChainNodes(silent)).toMatchObject([{ check: 'node sandbox/solana', level: 'fail' }]);
  });

  it('that lags, has no history, or is on a cluster that does not finalise is a warning each', async () => {
    const answers = { getSlot: 1_000_000, getFirstAvailableBlock: 900_000, getBlock: blockOf(HOUR_MS) };
    const details = (await examined(answers)).map(
      ({ level, detail }) => `${level}: ${detail.replace(/http\S+/, 'it').replace(/36\d\d(\.\d)? s/, 'an hour')}`,
    );
    expect(details).toEqual(['warn: it is an hour behind', 'warn: it has the last 0.0 days only']);
    let asked = 0;
    // The first question is about the confirmed slot, the second about the final one.
    const stalled = {
      ...answers,
      getBlock: blockOf(0),
      getFirstAvailableBlock: 0,
      getSlot: () => (asked++ === 0 ? 1_000_151 : 1_000_000),
    };
    expect(await examined(stalled)).toMatchObject([
      { level: 'warn', detail: expect.stringContaining('finality is 151 slots behind') },
    ]);
  });

  it('whose token has other decimals, or none, is a failure', async () => {
    const elsewhere = lab.faucet.address;
    expect(await examined({}, elsewhere)).toMatchObject([
      { level: 'fail', detail: `${USDC} (USDC) is no token, and 6 are listed` },
    ]);
  });
});

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

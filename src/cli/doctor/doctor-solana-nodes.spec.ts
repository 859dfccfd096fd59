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

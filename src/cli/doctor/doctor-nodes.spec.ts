import { z } from 'zod';
import { AnvilNode } from '../../../test/support/anvil-node.js';
import { runCommand } from '../../../test/support/cli-run.js';
import { ProxyNode } from '../../../test/support/proxy-node.js';
import { SolanaLab } from '../../../test/support/solana-lab.js';
import { TronNodeRig } from '../../../test/support/tron-node-rig.js';
import { developmentProfile } from '../../chains/networks.js';
import type { Finding } from './doctor-finding.js';
import { examineNode } from './doctor-nodes.js';

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

/** What the development chain says, which plays devnet as far as nothing else is said. */
async function examined(answers: Readonly<Record<string, unknown>> = {}, usdc = mint): Promise<readonly Finding[]> {
  lieWith(answers, usdc);
  return (await runDoctor('solana', { SANDBOX_SOLANA_RPC_URL: proxy.url })).findings;
}

function lieWith(answers: Readonly<Record<string, unknown>>, usdc = mint): void {
  const said: Readonly<Record<string, unknown>> = { getGenesisHash: GENESIS, ...answers };
  proxy.lie = async ({ method, params }, ask) => {
    const answer = said[method];
    if (answer !== undefined)
      return typeof answer === 'function' ? (answer as (asked: unknown) => unknown)(params) : answer;
    const asDevelopment = JSON.parse(JSON.stringify(params).replace(USDC, usdc)) as readonly unknown[];
    return (await ask({ method, params: asDevelopment }))['result'];
  };
}

/** Runs the command for a network, and returns what it says of the one node of it. */
async function runDoctor(network: string, environment: Readonly<Record<string, string>>) {
  const { code, out } = await runCommand(['doctor', '--network', network, '--json'], {
    DATA_DIR: '/nowhere',
    DEV_CHAINS: 'none',
    ...environment,
  });
  const lines = out
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  return { code, findings: lines.map((line): Finding => JSON.parse(line) as Finding) };
}

const problems = (findings: readonly Finding[]) =>
  findings.filter(({ level }) => level !== 'ok').map(({ level, check, detail }) => `${level} ${check}: ${detail}`);

/** A block without transactions. */
const blockOf = (ageMs: number) => ({
  blockhash: GENESIS,
  previousBlockhash: GENESIS,
  parentSlot: 0,
  blockHeight: 1,
  blockTime: Math.floor((Date.now() - ageMs) / 1000),
  signatures: [],
});
const HOUR_MS = 3_600_000;

describe('doctor --network', () => {
  it('shows what was asked of a node of solana, and what it has', async () => {
    const findings = await examined();
    expect(problems(findings)).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual([
      'chain',
      'version',
      'newest block',
      'final block',
      'tokens',
      'history',
      'transactions of an address',
      'final blocks in a row',
      'requests at once',
    ]);
  });

  it('prints a table with the node above it', async () => {
    lieWith({});
    const environment = { DATA_DIR: '/nowhere', DEV_CHAINS: 'none', SANDBOX_SOLANA_RPC_URL: proxy.url };
    const { code, out } = await runCommand(['doctor', '--network', 'all'], environment);
    expect(code).toBe(0);
    const [title, ...rows] = out.trimEnd().split('\n');
    expect(title).toBe(`sandbox/solana at ${proxy.url}`);
    expect(rows[0]).toMatch(new RegExp(`^ok  chain +${GENESIS}$`));
    expect(rows).toHaveLength(9);
  });

  it('fails on a node of another chain, and on one that does not answer', async () => {
    expect(problems(await examined({ getGenesisHash: mint }))).toEqual([
      expect.stringMatching(new RegExp(`^fail chain: .*${mint}`)),
    ]);
    const { code, findings } = await runDoctor('solana', { SANDBOX_SOLANA_RPC_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(findings).toMatchObject([{ check: 'chain', level: 'fail' }]);
  });

  it('warns of a node that lags, is ahead of the clock or has no history, and of a cluster that does not finalise', async () => {
    const answers = { getSlot: 1_000_000, getFirstAvailableBlock: 900_000, getBlock: blockOf(HOUR_MS) };
    expect(problems(await examined(answers))).toEqual([
      expect.stringMatching(/^warn newest block: block 1000000, 36\d\d\.\d s old$/),
      'warn history: the last 0.0 days only',
    ]);
    expect(problems(await examined({ ...answers, getFirstAvailableBlock: 0, getBlock: blockOf(-HOUR_MS) }))).toEqual([
      expect.stringMatching(/^warn newest block: block 1000000 is 3[56]\d\d\.\d s ahead of the clock of this machine$/),
    ]);
    const stalled = {
      ...answers,
      getBlock: blockOf(0),
      getFirstAvailableBlock: 0,
      getSlot: (asked: unknown) => (JSON.stringify(asked).includes('confirmed') ? 1_000_161 : 1_000_000),
    };
    expect(problems(await examined(stalled))).toEqual(['warn final block: 161 blocks below the newest, usually 32']);
  });

  it('fails on a token that has other decimals, or is none', async () => {
    expect(problems(await examined({}, lab.faucet.address))).toEqual([
      `fail tokens: ${USDC} (USDC) is no token, and 6 are listed`,
    ]);
  });

  it('refuses an unknown network, and one without nodes', async () => {
    const environment = { DATA_DIR: '/nowhere', DEV_CHAINS: 'none' };
    expect(await runCommand(['doctor', '--network', 'solona'], environment)).toMatchObject({ code: 2 });
    const { code, err } = await runCommand(['doctor', '--network', 'polygon'], environment);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('LIVE_POLYGON_RPC_URL') });
  });
});

describe('a node of an EVM chain', () => {
  let anvil: AnvilNode;
  let evmProxy: ProxyNode;
  const profile = developmentProfile({ network: 'polygon', chainId: '31337', contracts: {} });
  beforeAll(async () => {
    anvil = await AnvilNode.start();
    await anvil.ask(z.unknown(), 'anvil_mine', '0x20');
    evmProxy = await ProxyNode.start(anvil.url);
  });
  afterAll(async () => {
    await evmProxy.stop();
    await anvil.stop();
  });

  it('that has all that the service needs is fine', async () => {
    evmProxy.lie = null;
    const { findings } = await examineNode({ profile, rpcUrls: [evmProxy.url] }, true);
    expect(problems(findings)).toEqual([]);
    expect(findings.find(({ check }) => check === 'version')?.detail).toMatch(/^anvil\//);
  });

  it.each([
    ['eth_getLogs', 'fail logs by block hash'],
    ['eth_getBalance', 'fail balances at a final block'],
    ['eth_feeHistory', 'fail fees of past blocks'],
  ])('that refuses %s fails with what to do', async (method, failure) => {
    evmProxy.lie = async (question, ask) => {
      if (question.method === method) throw new Error('refused');
      return (await ask(question))['result'];
    };
    const { findings } = await examineNode({ profile, rpcUrls: [evmProxy.url] }, false);
    expect(problems(findings)).toContainEqual(expect.stringContaining(failure));
    expect(findings.filter(({ level, fix }) => (level === 'ok') !== (fix === null))).toEqual([]);
  });
});

describe('a node of tron', () => {
  it('that has all that the service needs is fine, and one that saves no internal transactions is a warning', async () => {
    const rig = await TronNodeRig.start();
    try {
      await rig.controls.mine(30);
      const { tokens, genesisId } = await rig.controls.info();
      const profile = developmentProfile({ network: 'tron', chainId: genesisId, contracts: tokens });
      const { findings } = await examineNode({ profile, rpcUrls: [rig.url] }, true);
      // These blocks were made at once, each three seconds after the one before.
      const warnings = ['warn newest block', 'warn internal transactions'];
      expect(problems(findings).map((line) => line.replace(/: .*/, ''))).toEqual(warnings);
      expect(findings.find(({ check }) => check === 'chain parameters')?.detail).toBe('a unit of energy costs 100 sun');
      await rig.controls.setTokenFee(10, 5);
      await rig.controls.mine();
      const { findings: found } = await examineNode({ profile, rpcUrls: [rig.url] }, false);
      expect(problems(found)).toContainEqual(`warn whole transfers: ${tokens.USDT} takes a fee of transfers`);
    } finally {
      await rig.remove();
    }
  });
});

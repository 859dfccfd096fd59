import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { EVM_NETWORKS, type EvmNetwork } from '../../domain/network.js';
import { isPidAlive, waitFor } from '../../platform/processes.js';
import { runAnvil } from './anvil-process.js';
import { commandLineOf } from './command-line.js';
import { DevChainControls } from '../../../test/support/dev-chain-controls.js';
import { DevChainDirectory } from '../../../test/support/dev-chain-directory.js';
import { unsharedPort } from '../../../test/support/unshared-port.js';
import { devNetworkPlan } from './dev-networks.js';
import { askChain, HEX_NUMBER } from './dev-rpc.js';
import { provideTestTokens, TEST_TOKEN } from './test-token.js';

const RECORD = z.object({ pid: z.number(), port: z.number() });

let dir: DevChainDirectory;

beforeEach(async () => {
  dir = await DevChainDirectory.create();
});
afterEach(() => dir.remove());

const fileOf = (name: string): string => join(dir.path, 'devnet', name);

async function recorded(network: EvmNetwork = 'polygon'): Promise<z.infer<typeof RECORD>> {
  return RECORD.parse(JSON.parse(await readFile(fileOf(`${network}.json`), 'utf8')));
}

async function killAnvil(): Promise<void> {
  const { pid } = await recorded();
  process.kill(pid, 'SIGKILL');
  await waitFor(() => (isPidAlive(pid) ? null : true), 5_000);
}

describe('a new development chain', () => {
  it.each(EVM_NETWORKS)('simulates %s with a chain id of no real network, and its test tokens', async (network) => {
    const chain = await dir.start(network);
    expect(chain.origin).toBe('new');
    expect(await askChain(chain.rpcUrl, HEX_NUMBER, 'eth_chainId')).toBe(devNetworkPlan(network).chainId);
    expect(Object.keys(chain.tokens)).toEqual(['USDC', 'USDT']);
    for (const [symbol, { address, decimals }] of Object.entries(chain.tokens)) {
      const call = async (name: string): Promise<unknown> => {
        const data = TEST_TOKEN.encodeFunctionData(name);
        const answer = await askChain(chain.rpcUrl, z.string(), 'eth_call', { to: address, data }, 'latest');
        return TEST_TOKEN.decodeFunctionResult(name, answer)[0];
      };
      expect(decimals).toBe(network === 'bnb' ? 18 : 6);
      expect(await call('symbol')).toBe(symbol);
      expect(await call('decimals')).toBe(BigInt(decimals));
    }
  });

  it('funds the accounts of faucet and payer with plenty of every token and coin', async () => {
    const chain = await dir.start('bnb');
    expect(chain.faucet.address).not.toBe(chain.sandboxPayer.address);
    const controls = new DevChainControls(chain);
    for (const { address } of [chain.faucet, chain.sandboxPayer]) {
      for (const token of ['USDC', 'USDT', null]) expect(await controls.balance(token, address)).toBe(10n ** 27n);
    }
  });

  it('gets tokens that were added to the plan later, and keeps those that it has', async () => {
    const { chainId, tokens } = devNetworkPlan('bnb');
    const older = await runAnvil({
      dir: join(dir.path, 'devnet'),
      network: 'bnb',
      chainId,
      preferredPort: 0,
      log: (line) => dir.logged.push(line),
    });
    const before = await provideTestTokens(older.url, 'bnb', tokens.slice(0, 1));
    const chain = await dir.start('bnb');
    expect(chain).toMatchObject({ origin: 'adopted', genesisHash: older.genesisHash });
    expect(Object.keys(chain.tokens)).toEqual(['USDC', 'USDT']);
    expect(chain.tokens).toMatchObject(before);
    expect(await new DevChainControls(chain).balance('USDT', chain.faucet.address)).toBe(10n ** 27n);
    await chain.stop();
    expect((await dir.start('bnb')).tokens).toEqual(chain.tokens);
  });

  it('has its own genesis and token addresses, also when made in the same second as another', async () => {
    const [ethereum, polygon] = await Promise.all([dir.start('ethereum'), dir.start('polygon')]);
    expect(ethereum.genesisHash).not.toBe(polygon.genesisHash);
    expect(ethereum.tokens['USDC']?.address).not.toBe(polygon.tokens['USDC']?.address);
  });

  it('uses the next port when one is taken, logs it, and keeps that port', async () => {
    const taken = await unsharedPort();
    const server = createServer().listen(taken, '127.0.0.1');
    await once(server, 'listening');
    const chain = await dir.start('polygon', taken);
    expect(dir.logged).toEqual([`Port ${taken} is taken: the polygon chain listens on ${new URL(chain.rpcUrl).port}.`]);
    server.close();
    await once(server, 'close');
    await chain.stop();
    expect((await dir.start('polygon', taken)).rpcUrl).toBe(chain.rpcUrl);
  });

  it('logs no calls, so that a busy chain does not fill the disk', async () => {
    const chain = await dir.start();
    const before = await readFile(fileOf('polygon.log'), 'utf8');
    await new DevChainControls(chain).mine(5);
    expect(await readFile(fileOf('polygon.log'), 'utf8')).toBe(before);
  });
});

describe('a development chain whose anvil was killed', () => {
  it('starts over with another genesis and logs it, rather than lose final blocks under the old one', async () => {
    const first = await dir.start();
    await first.stop();
    const second = await dir.start();
    expect(second.genesisHash).toBe(first.genesisHash);
    await killAnvil();
    const third = await dir.start();
    expect(third.origin).toBe('new');
    expect(third.genesisHash).not.toBe(first.genesisHash);
    expect(third.rpcUrl).toBe(first.rpcUrl);
    expect(dir.logged).toEqual(['The polygon chain ended without saving and starts over.']);
  });

  it('leaves no state from while it ran, because the periodic save of anvil is off', async () => {
    await dir.start();
    const { pid } = await recorded();
    const [, seconds] = / --state-interval (\d+)/.exec(commandLineOf(pid) ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThan(50 * 365 * 24 * 3_600);
  });

  it('starts over when the kill came while it saved, and keeps the partial file', async () => {
    await (await dir.start()).stop();
    const state = await readFile(fileOf('polygon.state.json'), 'utf8');
    await writeFile(fileOf('polygon.state.json'), state.slice(0, state.length / 2));
    expect((await dir.start()).origin).toBe('new');
    expect(await readdir(join(dir.path, 'devnet'))).toContain('polygon.state.unreadable.json');
    expect(dir.logged[0]).toContain('cannot be read');
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TronWeb } from 'tronweb';
import { developmentProfile } from '../../../chains/networks.js';
import { TronClient } from '../../../chains/tron/tron-client.js';
import { verifyTokens } from '../../../chains/token-check.js';
import { waitFor } from '../../../platform/processes.js';
import { broadcastTronTransfer, signTronTransfer, type SignedTronTransfer } from './test-transfer.js';
import { tronFate } from './transaction-fate.js';
import { tronDevAccount } from './tron-dev-accounts.js';
import { startTronDevChain, type TronDevChain } from './tron-dev-chain.js';
import { fundTronWallet, tronCoins, tronTokens } from './wallet-funding.js';

const BLOCK_INTERVAL_MS = 50;
const PAYEE = tronDevAccount('rival').address;
const EMPTY = 'TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre';
const WITHIN_MS = 60_000;

let dataDir: string;
let chain: TronDevChain;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'coffer-tron-'));
  chain = await start();
});
afterAll(async () => {
  await chain.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const start = (blockIntervalMs = BLOCK_INTERVAL_MS): Promise<TronDevChain> =>
  startTronDevChain({ dataDir, preferredPort: 0, blockIntervalMs, log: () => undefined });

const sign = (token: string | null, amount = 5_000_000n): Promise<SignedTronTransfer> =>
  signTronTransfer(chain, { to: PAYEE, token, amount, from: chain.sandboxPayer });

const send = ({ raw }: SignedTronTransfer) => broadcastTronTransfer(chain.rpcUrl, raw);
const fateOf = ({ txHash, validity }: SignedTronTransfer) => tronFate(chain.rpcUrl, txHash, validity);
const held = (token: string | null): Promise<bigint> =>
  token === null ? tronCoins(chain.rpcUrl, PAYEE) : tronTokens(chain.rpcUrl, chain.tokens[token]?.address ?? '', PAYEE);

describe('the development chain of tron', () => {
  it('has test tokens with the decimals of the live ones, which every client can read', async () => {
    const contracts = Object.fromEntries(
      Object.entries(chain.tokens).map(([symbol, { address }]) => [symbol, address]),
    );
    const profile = developmentProfile({ network: 'tron', chainId: chain.chainId, contracts });
    const client = new TronClient({ profile, rpcUrl: chain.rpcUrl });
    expect(Object.keys(chain.tokens)).toEqual(['USDC', 'USDT']);
    expect(await verifyTokens(client, profile)).toEqual([]);
    expect(await client.identity()).toEqual({ chainId: chain.chainId, genesisHash: chain.genesisHash });
    await client.close();
  });

  it('publishes the key of the faucet as wallets take it', () => {
    expect(TronWeb.address.fromPrivateKey(chain.faucet.privateKey)).toBe(chain.faucet.address);
    expect(chain.faucet.address).not.toBe(chain.sandboxPayer.address);
  });

  it('is adopted with its accounts while its process runs, and makes blocks again after it made none', async () => {
    const still = await start(0);
    expect(still).toMatchObject({ origin: 'adopted', genesisHash: chain.genesisHash, tokens: chain.tokens });
    const { head } = await still.controls.mine();
    expect((await still.controls.info()).head).toBe(head);
    await start();
    const grew = await waitFor(async () => ((await still.controls.info()).head > head ? true : null), WITHIN_MS);
    expect(grew).toBe(true);
  });

  it('makes a block final two blocks later', async () => {
    const { head, solid } = await chain.controls.info();
    expect(head - solid).toBe(2);
  });

  it('gives a wallet what it lacks, and nothing more while that is there', async () => {
    const { USDT } = chain.tokens;
    const shortage = { address: EMPTY, token: USDT?.address ?? '', isTokenMissing: true, missing: 7n };
    const holds = async () => [
      await tronCoins(chain.rpcUrl, EMPTY),
      await tronTokens(chain.rpcUrl, shortage.token, EMPTY),
    ];
    expect(await holds()).toEqual([0n, 0n]);
    await fundTronWallet(chain, shortage);
    expect(await holds()).toEqual([10_000_000_000n, 700n]);
    await fundTronWallet(chain, shortage);
    await fundTronWallet(chain, { ...shortage, isTokenMissing: false });
    expect(await holds()).toEqual([10_000_000_000n, 700n]);
  });
});

describe('a test transfer on tron', () => {
  it.each([null, 'USDC', 'USDT'])('in %s is final with the same bytes, however often they are sent', async (token) => {
    const before = await held(token);
    const signed = await sign(token);
    expect(await fateOf(signed)).toBe('absent');
    await send(signed);
    await expect(send(signed)).rejects.toThrow('DUP_TRANSACTION_ERROR');
    const fate = await waitFor(async () => {
      const now = await fateOf(signed);
      return typeof now === 'object' && now.isFinal ? now : null;
    }, WITHIN_MS);
    expect(fate).toEqual({ height: expect.any(Number), isFinal: true, succeeded: true });
    expect((await held(token)) - before).toBe(5_000_000n);
  });

  it('survives a fork: it follows a final block', async () => {
    await chain.controls.pause();
    const before = await held('USDT');
    const signed = await sign('USDT');
    await send(signed);
    expect(await fateOf(signed)).toBe('pending');
    await chain.controls.mine();
    expect(await fateOf(signed)).toMatchObject({ isFinal: false, succeeded: true });
    await chain.controls.fork(1, 'vanish');
    expect(await fateOf(signed)).toBe('absent');
    await send(signed);
    await chain.controls.mine(3);
    expect(await fateOf(signed)).toMatchObject({ isFinal: true, succeeded: true });
    expect((await held('USDT')) - before).toBe(5_000_000n);
    await chain.controls.resume();
  });

  it('is dead only once a final block has reached its expiration, and then no block takes it', async () => {
    await chain.controls.pause();
    const signed = await sign('USDC');
    const { now } = await chain.controls.info();
    await chain.controls.advanceClock(signed.validity.expiration - now + 1_000);
    await chain.controls.mine(2);
    // The head is past it, the final block is not.
    expect(await fateOf(signed)).toBe('absent');
    await expect(send(signed)).rejects.toThrow('TRANSACTION_EXPIRATION_ERROR');
    await chain.controls.mine();
    expect(await fateOf(signed)).toBe('dead');
    await chain.controls.resume();
  });

  it('of more than the sender holds is refused in TRX, and in a token ends without success', async () => {
    await expect(send(await sign(null, 10n ** 18n))).rejects.toThrow('CONTRACT_VALIDATE_ERROR');
    const signed = await sign('USDT', 10n ** 18n);
    await send(signed);
    const ended = await waitFor(async () => {
      const fate = await fateOf(signed);
      return typeof fate === 'object' ? fate : null;
    }, WITHIN_MS);
    expect(ended).toMatchObject({ succeeded: false });
  });
});

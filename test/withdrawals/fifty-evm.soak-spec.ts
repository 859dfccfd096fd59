import { Wallet } from 'ethers';
import { coinOf } from '../../src/chains/networks.js';
import { HEX_NUMBER } from '../../src/devtools/devnet/dev-rpc.js';
import { EVM_NETWORKS, type EvmNetwork } from '../../src/domain/network.js';
import { addressOf, intentWithAddress, untilStatus } from '../http/intents.js';
import { newMerchant } from '../http/paying.js';
import type { ApiClient } from '../support/api-client.js';
import { expectBooksInOrder } from '../support/books.js';
import { query } from '../support/sql.js';
import { startWorld, type World } from '../support/world.js';
import { expectPayoutsInOrder } from './payouts.js';
import { accepted, fillHotWallet, pocketOn, untilEnded } from './withdrawals.js';

const COUNT = 50;
const WITHIN_MS = 120_000;
/** A token, and what an order pays of it: ten dollars. */
const TOKEN = { symbol: 'USDC', cents: 1_000 };
/** Of a coin: a hundredth. */
const CENTS_OF_COIN = 1_000_000;
const PAID = EVM_NETWORKS.flatMap((network) => [
  { network, ...TOKEN },
  { network, symbol: coinOf(network).symbol, cents: CENTS_OF_COIN },
]);

let world: World;
let merchants: readonly ApiClient[];
beforeAll(async () => {
  const env = { RATE_LIMIT_PER_SECOND: '0', WALLET_POOL_TARGET: '200' };
  world = await startWorld({ networks: EVM_NETWORKS, env });
  for (const network of EVM_NETWORKS) await fillHotWallet(world, network);
  merchants = await Promise.all(Array.from({ length: COUNT }, () => newMerchant(world)));
}, WITHIN_MS);
afterAll(() => world.stop());

/** Lets a customer of every merchant pay. Returns each merchant with its pocket. */
async function filledPockets(network: EvmNetwork, token: string) {
  const chain = world.chain(network);
  const intents = await Promise.all(
    merchants.map((api) => intentWithAddress(api, { network, token, amount_cents: 100_000 })),
  );
  for (const intent of intents) {
    const amount = BigInt(intent.crypto_amount ?? 0);
    await chain.send({ to: addressOf(intent), token: token in chain.chain.tokens ? token : null, amount });
  }
  const pockets = [];
  for (const [place, api] of merchants.entries()) {
    await untilStatus(api, intents[place]?.id ?? '', 'completed');
    pockets.push({ api, pocketId: (await pocketOn(api, network, token)).id });
  }
  return pockets;
}

/** How many transactions of the hot wallet are on the chain. */
async function sentOn(network: EvmNetwork): Promise<number> {
  const [wallet] = await query<{ address: string }>(
    world.database,
    `select address from hot_wallet join chain on chain.id = chain_ref where network = $1 and active`,
    [network],
  );
  return world.chain(network).ask(HEX_NUMBER, 'eth_getTransactionCount', wallet?.address ?? '', 'latest');
}

it.each(PAID)(
  '50 equal withdrawals of different merchants at once in $symbol on $network: each is paid once, by a transaction of its own',
  async ({ network, symbol, cents }) => {
    const pockets = await filledPockets(network, symbol);
    const destination = Wallet.createRandom().address;
    const before = await sentOn(network);
    const orders = await Promise.all(
      pockets.map(async ({ api, pocketId }) => {
        const { id } = await accepted(api, pocketId, { amount_cents: cents, destination });
        return { api, id };
      }),
    );
    const hashes = new Set<string | null>();
    for (const { api, id } of orders) hashes.add((await untilEnded(api, id, 'completed', WITHIN_MS)).tx_hash);
    expect(hashes.size).toBe(COUNT);
    expect((await sentOn(network)) - before).toBe(COUNT);
    const chain = world.chain(network);
    const token = chain.chain.tokens[symbol];
    // A minor unit of a token is a hundredth, that of a coin 10 digits above the wei.
    const unit = 10n ** BigInt(token === undefined ? 10 : token.decimals - 2);
    expect(await chain.balance(token === undefined ? null : symbol, destination)).toBe(
      BigInt(COUNT) * BigInt(cents) * unit,
    );
    await expectBooksInOrder(world.database);
    await expectPayoutsInOrder(world.database);
  },
  WITHIN_MS,
);

import { AdoptionModule } from '../../recovery/adoption.module.js';
import { type Adopted, Adoption, type AdoptionOrder } from '../../recovery/adoption.service.js';
import { ExpiringAdoption } from '../../recovery/expiring/expiring-adoption.service.js';
import { NoOrderFits } from '../../treasury/transactions/no-order-fits.js';
import { TreasuryChainsModule } from '../../treasury/treasury-chains.module.js';
import { TreasuryChains } from '../../treasury/treasury-chains.service.js';
import { chainOptions, namedChain, type ReachableChain, reachableChain } from '../chain-access.js';
import { CommandFailure, defineCommand, EXIT, UsageError } from '../command.js';
import { type CommandServices, withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';
import { addressFamilyOf, type Network } from '../../domain/network.js';
import { transactionHashFormOf } from '../../domain/transaction-hash.js';

/** `treasury adopt`. */
export const treasuryAdopt = defineCommand({
  usage: 'treasury adopt <transaction id>... --network NAME [--env ENV] [--withdrawal ID|--return ID] --reason TEXT',
  example: "npx coffer treasury adopt 0x5f0c... --network polygon --env live --reason 'restored to 03:00'",
  details:
    'Records transactions of the hot wallet that were signed before an older state of the database was restored. Their bytes\n' +
    'show their purpose: the payment of a withdrawal or refund that waits for exactly this payment, a sweep, or the deployment\n' +
    'of a sweep contract. Any other is refused, unless it is final and you record it as a loss, which is yours to claim. An\n' +
    'adopted transaction ends like every other, once it is final; where transactions expire, only final ones are adopted.\n' +
    'Several are adopted together or not at all; use this if one was refused because the nonce of another one was given to\n' +
    'its order.',
  options: {
    ...chainOptions,
    withdrawal: { type: 'string', value: 'ID', about: 'The withdrawal that it paid, if several are possible, wd_...' },
    return: { type: 'string', value: 'ID', about: 'The refund that it paid, if several are possible, ret_...' },
    'as-loss': { type: 'boolean', about: 'Record it as a loss if no order fits.' },
    supersede: {
      type: 'boolean',
      about:
        'End the transaction that was signed here with its nonce, or for the same where transactions expire, once the chain\n' +
        'proves that it is never mined, and freeze the wallet. The order of that one waits again.',
    },
    reason: reasonOption,
  },
  positionals: { count: 1, orMore: true },
  run: ({ values, positionals: hashes }, context) => {
    const named = namedChain(values);
    const txHashes = [...new Set(hashes.map((hash) => keyOf(hash, named.network)))];
    const staff = staffOrder(values.reason);
    if (values.withdrawal !== undefined && values.return !== undefined)
      throw new UsageError('--withdrawal and --return exclude each other: name the one that was paid.');
    const orderId = values.withdrawal ?? values.return ?? null;
    if (orderId !== null && hashes.length > 1)
      throw new UsageError('--withdrawal and --return allow only one transaction.');
    const modules = [AdoptionModule, TreasuryChainsModule];
    return withServices(context, { modules, chains: true }, async (services) => {
      const chain = await reachableChain(services.get(TreasuryChains), named);
      const order = {
        ...staff,
        txHashes,
        orderId,
        asLoss: values['as-loss'] === true,
        supersede: values.supersede === true,
      };
      const adopted = await adopt(services, chain, order).catch((error: unknown) => Promise.reject(withAdvice(error)));
      const noun = 'counting' in chain ? 'nonce' : 'number';
      for (const one of adopted) context.terminal.line(resultOf(one, noun));
      return EXIT.fine;
    });
  },
});

/** Returns a transaction id in the spelling in which it is stored. @throws UsageError */
function keyOf(text: string, network: Network): string {
  const form = transactionHashFormOf(text);
  const family = addressFamilyOf(network);
  if (form?.family === family) return form.key;
  if (family === 'evm') throw new UsageError('A transaction hash must be 0x and 64 hexadecimal digits.');
  throw new UsageError(`This is no transaction id of ${network}: ${text}`);
}

const adopt = ({ get }: CommandServices, chain: ReachableChain, order: AdoptionOrder): Promise<readonly Adopted[]> =>
  'counting' in chain ? get(Adoption).adopt(chain.counting, order) : get(ExpiringAdoption).adopt(chain.expiring, order);

/** Adds advice to the refusal of a transaction that fits no order. */
function withAdvice(error: unknown): unknown {
  if (!(error instanceof NoOrderFits)) return error;
  const advice =
    'have the same payment ordered again and name the order with --withdrawal or --return, or record a loss with --as-loss: ' +
    'see docs/operations.md, "Withdrawals after a restore"';
  return new CommandFailure(error.message, advice, { cause: error });
}

const WORDS: Readonly<Record<Adopted['purpose'], string>> = {
  withdrawal: 'withdrawal',
  sweep: 'sweep',
  contract: 'contract',
  deposit_return: 'refund',
  loss: 'loss',
  funding: 'funding',
  energy_loan: 'loan of energy',
  energy_return: 'return of energy',
  stake: 'stake',
};

function resultOf({ isNew, nonce, transactionId, purpose, purposeId }: Adopted, noun: 'nonce' | 'number'): string {
  const what = `${noun} ${nonce}, ${transactionId}, for ${WORDS[purpose]} ${purposeId}`;
  return isNew
    ? `ADOPTED: ${what}. It ends once it is final on the chain.`
    : `Nothing to do: this transaction is already in the books (${what}).`;
}

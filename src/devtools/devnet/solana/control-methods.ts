import { z } from 'zod';
import { addressOf, base58Of, type AccountKey } from './account-key.js';
import type { Change } from './chain.js';
import { coinTransfer, freezeChange, tokenGrant } from './faucet.js';
import { devMintAddresses } from './genesis.js';
import { FAILURE, type Methods, type SolanaNode } from './node.js';
import { invalidParams } from './rpc-error.js';
import { ADDRESS, parseParams, SLOT } from './rpc-params.js';
import { devSigner, SOLANA_ROLES } from './solana-dev-accounts.js';
import type { WireTransaction } from './wire-transaction.js';

const MS_PER_SECOND = 1_000;
const COUNT = z.number().int().positive().max(1_000_000);
const GRANT = z.object({
  owner: ADDRESS,
  /** Null = the chain's own coin. */
  token: z.string().nullable(),
  amount: z.string().regex(/^\d+$/).transform(BigInt),
});

/** The calls that no real node has, for tests and the sandbox. */
export const controlMethods = (node: SolanaNode): Methods => ({
  ...chainControls(node),
  ...accountControls(node),
  ...nodeControls(node),
});

function chainControls({ chain }: SolanaNode): Methods {
  const head = (): number => chain.ledger.head.slot;
  const change = (entry: Change): null => {
    chain.change(entry);
    return null;
  };
  const count = (params: readonly unknown[]): number => parseParams(z.tuple([COUNT]), params)[0];

  return {
    coffer_mine: (params) => {
      chain.mine(count(params));
      return head();
    },
    coffer_skip: (params) => {
      chain.change({ type: 'skip', slots: count(params) });
      return chain.ledger.nextSlot;
    },
    coffer_fork: (params) => {
      const kept = head() - count(params);
      const final = chain.finality.finalizedSlot;
      if (kept < final) throw invalidParams(`Slot ${final} is final: a fork cannot drop it.`);
      chain.change({ type: 'fork', kept });
      return head();
    },
    coffer_setAutomatic: (params) =>
      change({ type: 'automatic', isOn: parseParams(z.tuple([z.boolean()]), params)[0] }),
    coffer_setRent: (params) => change({ type: 'rent', lamportsPerByte: count(params) }),
    coffer_setFinality: (params) => {
      const [distance] = parseParams(z.tuple([z.object({ confirmed: SLOT, finalized: SLOT })]), params);
      return change({ type: 'finality', ...distance });
    },
    coffer_advanceClock: (params) =>
      change({ type: 'clock', offsetMs: chain.clockOffsetMs + count(params) * MS_PER_SECOND }),
    coffer_truncate: (params) => {
      const [firstSlot] = parseParams(z.tuple([SLOT]), params);
      if (firstSlot > head()) throw invalidParams(`Slot ${firstSlot} is not on the chain yet.`);
      return change({ type: 'truncate', firstSlot });
    },
  };
}

/** Those that send a transaction of the faucet return its signature. */
function accountControls({ chain }: SolanaNode): Methods {
  const accepted = (transaction: WireTransaction): string => {
    chain.accept(transaction);
    return base58Of(transaction.signature);
  };
  const account = (params: readonly unknown[]): AccountKey => parseParams(z.tuple([ADDRESS]), params)[0];

  return {
    coffer_fund: (params) => {
      const [{ owner, token, amount }] = parseParams(z.tuple([GRANT]), params);
      return accepted(token === null ? coinTransfer(chain, owner, amount) : tokenGrant(chain, owner, token, amount));
    },
    coffer_freeze: (params) => accepted(freezeChange(chain, account(params), true)),
    coffer_thaw: (params) => accepted(freezeChange(chain, account(params), false)),
    coffer_closeAccount: (params) => {
      chain.change({ type: 'erase', key: account(params) });
      chain.mine(1);
      return chain.ledger.head.slot;
    },
  };
}

function nodeControls(node: SolanaNode): Methods {
  const { chain } = node;
  return {
    coffer_info: () => ({
      genesisHash: addressOf(chain.genesisHash),
      isAutomatic: chain.isAutomatic,
      pending: chain.pendingCount,
      mints: devMintAddresses(),
      accounts: Object.fromEntries(
        Object.entries(SOLANA_ROLES).map(([role, index]) => [role, addressOf(devSigner(index).key)]),
      ),
    }),
    coffer_failNext: (params) => {
      node.planFailure(parseParams(z.tuple([FAILURE]), params)[0]);
      return null;
    },
    coffer_setBehind: (params) => {
      node.slotsBehind = parseParams(z.tuple([COUNT.nullable()]), params)[0];
      return null;
    },
    coffer_setArchive: (params) => {
      node.hasArchive = parseParams(z.tuple([z.boolean()]), params)[0];
      return null;
    },
  };
}

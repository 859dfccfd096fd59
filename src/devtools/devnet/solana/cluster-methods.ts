import { z } from 'zod';
import { addressOf } from './account-key.js';
import { PROCESSING_AGE_BLOCKS } from './chain.js';
import { SLOTS_PER_EPOCH } from './chain-state.js';
import { API_VERSION, inContext, type Methods, type SolanaNode } from './node.js';
import { ADDRESS, CONTEXT, parseParams } from './rpc-params.js';
import { keyOfAddress } from './account-key.js';
import { unitPriceOf } from './transaction-fee.js';
import { decodeTransaction } from './wire-transaction.js';

/** Agave `MAX_PRIORITIZATION_FEE_BLOCKS`. */
const FEE_BLOCKS = 150;
const FEATURE_SET = 1;
const CONTEXT_PARAMS = z.tuple([CONTEXT.optional()]);

/** The calls about the cluster, its slots and blockhashes. */
export function clusterMethods(node: SolanaNode): Methods {
  const { chain } = node;
  const { ledger } = chain;
  const bankOf = (params: readonly unknown[]) => node.bankOf(parseParams(CONTEXT_PARAMS, params)[0]);

  return {
    getGenesisHash: () => addressOf(chain.genesisHash),
    getHealth: () => {
      node.assertHealthy();
      return 'ok';
    },
    getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': FEATURE_SET }),
    getSlot: (params) => bankOf(params).slot,
    getBlockHeight: (params) => bankOf(params).height,
    getEpochInfo: (params) => {
      const { slot, height } = bankOf(params);
      return {
        absoluteSlot: slot,
        blockHeight: height,
        epoch: Math.floor(slot / SLOTS_PER_EPOCH),
        slotIndex: slot % SLOTS_PER_EPOCH,
        slotsInEpoch: SLOTS_PER_EPOCH,
        transactionCount: chain.transactions.count,
      };
    },
    getLatestBlockhash: (params) => {
      const bank = bankOf(params);
      const blockhash = addressOf(ledger.hashOf(bank.slot));
      return inContext(bank, { blockhash, lastValidBlockHeight: bank.height + PROCESSING_AGE_BLOCKS });
    },
    isBlockhashValid: (params) => {
      const [blockhash, config] = parseParams(z.tuple([z.string(), CONTEXT.optional()]), params);
      const bank = node.bankOf(config);
      const hash = keyOfAddress(blockhash);
      return inContext(bank, hash !== null && chain.isFresh(hash, bank));
    },
    getRecentPrioritizationFees: (params) => {
      const [keys] = parseParams(z.tuple([z.array(ADDRESS).optional()]), params);
      const { slot: last } = ledger.head;
      return ledger.slots(Math.max(0, last - FEE_BLOCKS + 1), last, FEE_BLOCKS).map((slot) => {
        const prices = chain.transactions
          .inSlot(slot)
          .map(({ bytes }) => decodeTransaction(bytes))
          .filter((transaction) => (keys ?? []).every((key) => transaction.keys.includes(key)))
          .map(unitPriceOf);
        return {
          slot,
          prioritizationFee: prices.reduce((least, price) => (price < least ? price : least), prices[0] ?? 0n),
        };
      });
    },
  };
}

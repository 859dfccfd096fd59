import { EVM_NETWORKS } from '../../src/domain/network.js';
import type { Gap } from './proof.js';

const BOTH = ['token', 'coin'] as const;

/** Cells that no test proves. Each names why; a test that closes one removes it here, or the matrix fails. */
export const GAPS: readonly Gap[] = [
  {
    name: 'dust',
    networks: ['solana', 'tron'],
    kinds: ['token'],
    why: 'thousands of tiny payments to one address are sent on EVM alone; a single one is an ordinary payment',
  },
  {
    name: 'dust',
    networks: ['ethereum', 'polygon', 'bnb', 'tron'],
    kinds: ['coin'],
    why: 'the flood of dust is sent in tokens alone',
  },
  {
    name: 'dust',
    networks: ['solana'],
    kinds: ['coin'],
    why: 'an address without coins receives no less than the rent, and no spec floods one that has them',
  },
  {
    name: 'contract or program as payer',
    networks: ['solana'],
    kinds: ['token'],
    why: 'no spec deploys a program that pays; inner transfers show in the same balances of the transaction',
  },
  {
    name: 'contract or program as payer',
    networks: ['tron'],
    kinds: ['token'],
    why: 'the payers of the specs are accounts; the log of the token is the same',
  },
  {
    name: 'two payers in one transaction',
    networks: ['tron'],
    kinds: BOTH,
    why: 'a transaction of Tron has one contract call: a contract would have to collect from two payers',
  },
  {
    name: 'withdrawal that waits for swept funds',
    networks: ['solana', 'tron'],
    kinds: ['coin'],
    why: 'the specs wait for swept tokens alone',
  },
  {
    name: '50 equal withdrawals at once',
    networks: EVM_NETWORKS,
    kinds: BOTH,
    why: '12 at once are paid over HTTP; ids cannot collide under nonces',
  },
  {
    name: 'sweep racing a deposit',
    networks: EVM_NETWORKS,
    kinds: ['token'],
    why: 'the race is run with the coin; a sweep of tokens takes the balance of its block',
  },
  {
    name: 'sweep racing a deposit',
    networks: ['solana'],
    kinds: ['coin'],
    why: 'the race is run with token accounts, which a sweep closes',
  },
  {
    name: 'restore with live bytes in flight',
    networks: EVM_NETWORKS,
    kinds: ['coin'],
    why: 'the restored withdrawals are in tokens',
  },
];

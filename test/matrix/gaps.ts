import { EVM_NETWORKS } from '../../src/domain/network.js';
import type { Gap } from './proof.js';

const BOTH = ['token', 'coin'] as const;

/** Cells that no test proves. Each names why; a test that closes one removes it here, or the matrix fails. */
export const GAPS: readonly Gap[] = [
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

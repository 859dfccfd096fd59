import type { Bug } from './bug.ts';

/** Bugs in how writes share connections to the database. */
export const CONNECTION_BUGS: readonly Bug[] = [
  {
    name: 'address-shares-connection',
    harm: 'An address that waits for the lock of its intent holds up new intents of every merchant.',
    edits: [
      {
        file: 'src/payments/intents/address-assignment.service.ts',
        search: 'waits: true',
        replace: 'waits: false',
      },
    ],
    specs: ['src/payments/intents/address-assignment.service.spec.ts'],
  },
  {
    name: 'withdrawal-shares-connection',
    harm: 'A withdrawal that waits for the lock of its pocket holds up new intents of every merchant.',
    edits: [
      {
        file: 'src/withdrawals/withdrawals.service.ts',
        search: 'waits: true',
        replace: 'waits: false',
      },
    ],
    specs: ['src/withdrawals/withdrawals.service.spec.ts'],
  },
  {
    name: 'unprepared-fails',
    harm: 'A new intent is refused because the one in front of it on its connection could not be prepared.',
    edits: [
      {
        file: 'src/platform/database/database.ts',
        search: 'if (!hasErrorCode(error, NOT_PREPARED, PREPARED_TWICE)) throw error;',
        replace: 'if (hasErrorCode(error, NOT_PREPARED) || !hasErrorCode(error, PREPARED_TWICE)) throw error;',
      },
    ],
    specs: ['src/platform/database/shared-connections.spec.ts'],
  },
  {
    name: 'late-connection-stays',
    harm: 'A connection whose statement did not answer in time returns to the pool, and requests wait behind it.',
    edits: [
      {
        file: 'src/platform/database/shared-connections.ts',
        search: 'connection.isBroken = true;',
        replace: 'connection.isBroken = false;',
      },
    ],
    specs: ['src/platform/database/shared-connections.spec.ts'],
  },
];

import { presentSession } from './session.presenter.js';

/** A session of a member of the support, for the document. */
export const sessionExample = presentSession(
  {
    id: 'ses_01jqzk8v6m3n5p7r9t1w2x4y6z',
    staffId: 'stf_01jqzk8v6m3n5p7r9t1w2x4y6z',
    email: 'kim@example.com',
    roles: { sandbox: 'support', live: 'none' },
    totpEnabled: true,
    expiresAt: new Date('2026-01-31T20:00:00.000Z'),
    idleExpiresAt: new Date('2026-01-31T08:30:00.000Z'),
    stepUpUntil: new Date('2026-01-31T08:05:00.000Z'),
  },
  true,
);

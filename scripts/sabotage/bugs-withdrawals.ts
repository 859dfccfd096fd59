import type { Bug } from './bug.ts';

/** Bugs in orders to pay out: what they hold, who may be paid, and that each is signed once, as ordered. */
export const WITHDRAWAL_BUGS: readonly Bug[] = [
  {
    name: 'refund-without-fee',
    harm: 'A failed withdrawal returns the amount and keeps the fee held.',
    edits: [
      {
        file: 'src/withdrawals/payouts/withdrawal-outcome-handler.service.ts',
        search: 'const amount = withdrawal.amount + withdrawal.feeAmount;',
        replace: 'const amount = withdrawal.amount;',
      },
    ],
    specs: ['src/withdrawals/payouts/withdrawal-outcome-handler.service.spec.ts'],
  },
  {
    name: 'fee-not-held',
    harm: 'An order holds the amount and not the fee: the pocket pays out more than it has.',
    edits: [
      {
        file: 'src/withdrawals/withdrawals.service.ts',
        search: 'const held = amount + feeAmount;',
        replace: 'const held = amount + 0n * feeAmount;',
      },
    ],
    specs: ['test/withdrawals/withdrawal-fees.e2e-spec.ts'],
  },
  {
    name: 'vault-no-screening',
    harm: 'A withdrawal that waited is paid to an address that was listed meanwhile.',
    edits: [
      {
        file: 'src/treasury/transactions/payment-signer.service.ts',
        search: 'const isListed = await this.sanctions.screen(tx, addressFamilyOf(first.network), recipients);',
        replace: `const isOnList = await this.sanctions.screen(tx, addressFamilyOf(first.network), recipients);
    const isListed = (recipient: string): boolean => first.waitingReason === null && isOnList(recipient);`,
      },
    ],
    specs: ['src/withdrawals/payouts/unsigned-withdrawals.spec.ts', 'src/suspense/refunds/unsigned-refunds.spec.ts'],
  },
  {
    name: 'approval-of-other-terms',
    harm: 'An approval counts whatever the terms of the withdrawal are now.',
    edits: [
      {
        file: 'src/withdrawals/policies/withdrawal-rules.sql.ts',
        search:
          '= (${withdrawal.chainRef}, ${withdrawal.tokenContract}, ${withdrawal.amount}, ${withdrawal.destinationKey}))',
        replace: 'is not null)',
      },
    ],
    specs: ['src/withdrawals/policies/withdrawal-rules.spec.ts'],
  },
  {
    name: 'policy-unlocked',
    harm: 'Two signers check the limits at once and both find room for one.',
    edits: [
      {
        file: 'src/withdrawals/policies/withdrawal-policies.service.ts',
        search: '    await lockPolicies(tx, withdrawals);\n',
        replace: '',
      },
    ],
    specs: ['src/withdrawals/policies/withdrawal-policies.spec.ts'],
  },
  {
    name: 'velocity-off-by-one',
    harm: 'The daily count lets one more withdrawal through.',
    edits: [
      {
        file: 'src/withdrawals/policies/withdrawal-policies.service.ts',
        search: 'countLeft > signed',
        replace: 'countLeft >= signed',
      },
    ],
    specs: ['src/withdrawals/policies/withdrawal-policies.spec.ts'],
  },
  {
    name: 'amount-limit-late',
    harm: 'The daily amount of a pocket does not count the checked withdrawal: it lets one more through.',
    edits: [
      {
        file: 'src/withdrawals/policies/withdrawal-policies.service.ts',
        search: 'BigInt(amountLeft) >= withdrawal.amount + spent',
        replace: 'BigInt(amountLeft) >= spent',
      },
    ],
    specs: ['src/withdrawals/policies/withdrawal-policies.spec.ts'],
  },
  {
    name: 'pocket-oracle',
    harm: 'The filter pocket_id shows merchants which pockets of others exist.',
    edits: [
      {
        file: 'src/withdrawals/withdrawal-reader.service.ts',
        search: '{ id, merchantId, environment }',
        replace: '{ id, $or: [{ merchantId, environment }, { id }] }',
      },
    ],
    specs: ['test/withdrawals/list-withdrawals.e2e-spec.ts'],
  },
  {
    name: 'sign-twice',
    harm: 'A withdrawal that is signed already is signed again, with another nonce.',
    edits: [
      {
        file: 'src/withdrawals/payouts/unsigned-withdrawals.sql.ts',
        search: ' and ${withdrawal.signedAt} is null',
        replace: '',
      },
    ],
    specs: ['src/withdrawals/payouts/signed-once.spec.ts'],
  },
  {
    name: 'books-unasked',
    harm: 'The vault signs for a withdrawal of which the books hold nothing.',
    edits: [
      {
        file: 'src/withdrawals/payouts/unsigned-withdrawals.service.ts',
        search: 'const held = await heldAmong(tx, ids);',
        replace: `const held = new Set([...(await heldAmong(tx, ids)), ...ids]);`,
      },
    ],
    specs: ['src/withdrawals/payouts/unsigned-withdrawals.spec.ts'],
  },
  {
    name: 'signed-bytes-unread',
    harm: 'The vault may sign something else than was ordered, without any comparison.',
    edits: [
      {
        file: 'src/treasury/transactions/checked-signature.ts',
        search: 'checkSigned(signed, {',
        replace: 'if (signed.raw === signed.hash) checkSigned(signed, {',
      },
    ],
    specs: ['src/withdrawals/payouts/unsigned-withdrawals.spec.ts'],
  },
];

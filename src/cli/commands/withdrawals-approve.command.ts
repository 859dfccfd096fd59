import { WithdrawalPoliciesModule } from '../../withdrawals/policies/withdrawal-policies.module.js';
import { WithdrawalApprovals } from '../../withdrawals/policies/withdrawal-approvals.service.js';
import { defineCommand, EXIT } from '../command.js';
import { withServices } from '../command-services.js';
import { reasonOption, staffOrder } from '../operator.js';

/** `withdrawals approve`. */
export const withdrawalsApprove = defineCommand({
  usage: 'withdrawals approve <withdrawal id> --reason TEXT',
  example: "npx coffer withdrawals approve wd_01k5n6yq2m8r4t0v3w5x7z9abc --reason 'confirmed by phone'",
  details:
    'Approves a withdrawal above `policy approval-above`, or to a new destination (`policy set --new-destination-hours`). The\n' +
    'vault signs it within a second, unless another rule forbids it. Only its current terms are approved: check them first\n' +
    'with `withdrawals show`. To refuse it, run `withdrawals cancel`, which returns the money to the pocket.',
  options: {
    reason: reasonOption,
    'look-alike-checked': {
      type: 'boolean',
      about: 'You compared the destination, character by character, with the addresses that it resembles.',
    },
  },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const order = staffOrder(values.reason);
    const isLookAlikeChecked = values['look-alike-checked'] ?? false;
    return withServices(context, { modules: [WithdrawalPoliciesModule] }, async ({ database, get }) => {
      const approved = await database.transaction((tx) =>
        get(WithdrawalApprovals).approve(tx, id, order, isLookAlikeChecked),
      );
      const { money, destination, approvedBy, approvedAt, isNew } = approved;
      const before = isNew ? '' : ` already, by ${approvedBy} at ${approvedAt.toISOString()}`;
      context.terminal.line(`Withdrawal ${id} is approved${before}: ${money} to ${destination}.`);
      return EXIT.fine;
    });
  },
});

import { type RowOf, sql } from '../platform/sql/sql.js';
import { out, set, table } from '../platform/sql/table.js';
import { RecoveryCode } from './recovery-code.entity.js';
import { StaffMember } from './staff-member.entity.js';

const member = table(StaffMember);
const recovery = table(RecoveryCode);

/** Notes that the code of this period was used, unless it or a later one was. */
export const useStep = (staffId: string, step: number) => sql`
  update ${member} set ${set(member, { totpLastStep: step })}
   where ${member.id} = ${staffId} and (${member.totpLastStep} is null or ${member.totpLastStep} < ${step})
  returning ${out(member, 'id')}`;

/** Uses up a recovery code. */
export const useRecoveryCode = (staffId: string, codeHash: string) => sql`
  delete from ${recovery} where ${recovery.staffId} = ${staffId} and ${recovery.codeHash} = ${codeHash}
  returning ${out(recovery, 'staffId')}`;

/** Keeps a secret that becomes the member's once a code of it was entered. */
export const keepPendingSecret = (staffId: string, secret: Buffer) => sql`
  update ${member} set ${set(member, { pendingTotpSecret: secret })} where ${member.id} = ${staffId}`;

/** Makes the pending secret the member's, unless another one is pending by now. */
export const confirmSecret = (staffId: string, secret: Buffer, step: number) => sql`
  update ${member} set ${set(member, { totpSecret: secret, pendingTotpSecret: null, totpLastStep: step })}
   where ${member.id} = ${staffId} and ${member.pendingTotpSecret} = ${secret}
  returning ${out(member, 'id')}`;

/** Deletes the recovery codes of a member. */
export const deleteRecoveryCodes = (staffId: string) => sql`
  delete from ${recovery} where ${recovery.staffId} = ${staffId}`;

/** Reads the sealed secrets of members in the order of their ids. */
export const totpSecretsAfter = (id: string, limit: number) => sql`
  select ${out(member, 'id', 'totpSecret', 'pendingTotpSecret')} from ${member}
   where ${member.id} > ${id} and (${member.totpSecret} is not null or ${member.pendingTotpSecret} is not null)
   order by ${member.id} limit ${limit}`;

type Secrets = Omit<RowOf<typeof totpSecretsAfter>, 'id'>;

/** Replaces the sealed secrets of a member if they are still those that were read. */
export const replaceTotpSecrets = (id: string, before: Secrets, secrets: Secrets) => sql`
  update ${member} set ${set(member, secrets)}
   where ${member.id} = ${id} and ${member.totpSecret} is not distinct from ${before.totpSecret}
     and ${member.pendingTotpSecret} is not distinct from ${before.pendingTotpSecret}
  returning ${out(member, 'id')}`;

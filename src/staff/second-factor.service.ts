import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../domain/errors.js';
import { rows, type Tx } from '../platform/database/database.js';
import { SecretBox } from '../platform/secret-box.js';
import { RecoveryCode } from './recovery-code.entity.js';
import {
  confirmSecret,
  deleteRecoveryCodes,
  keepPendingSecret,
  useRecoveryCode,
  useStep,
} from './second-factor.sql.js';
import { hashOf } from './secret-token.js';
import { StaffMember } from './staff-member.entity.js';
import { totpPlaceOf } from './totp-place.js';
import { newTotpSecret, otpauthUri, stepOfCode } from './totp.js';

const RECOVERY_CODES = 10;
const RECOVERY_CODE_BYTES = 10;

/** A second proof of identity: a code of the authenticator, or one of the recovery codes. */
export interface SecondProof {
  readonly code?: string | undefined;
  readonly recoveryCode?: string | undefined;
}

/** The second factor of staff: time-based codes (RFC 6238), and recovery codes for a lost authenticator. */
@Injectable()
export class SecondFactor {
  constructor(private readonly box: SecretBox) {}

  /** Uses up a proof of a member who has an authenticator. False when it is wrong or was used before. */
  async accept(tx: Tx, member: StaffMember, { code, recoveryCode }: SecondProof): Promise<boolean> {
    if (recoveryCode !== undefined) {
      return (await rows(tx, useRecoveryCode(member.id, hashOfRecoveryCode(recoveryCode)))).length > 0;
    }
    const step =
      member.totpSecret === null ? null : stepOfCode(this.opened(member.id, member.totpSecret), code ?? '', new Date());
    return step !== null && (await rows(tx, useStep(member.id, step))).length > 0;
  }

  /** Makes a secret for a new authenticator. The present one stays until `confirm`. */
  async begin(
    tx: Tx,
    staffId: string,
    email: string,
  ): Promise<{ readonly secret: string; readonly otpauthUri: string }> {
    const secret = newTotpSecret();
    await rows(tx, keepPendingSecret(staffId, this.box.seal(totpPlaceOf(staffId), secret)));
    return { secret, otpauthUri: otpauthUri(secret, email) };
  }

  /**
   * Takes the new authenticator into use, and returns new recovery codes; the earlier ones end.
   * @throws DomainError `invalid_request` when the code does not fit, or no authenticator was begun
   */
  async confirm(tx: Tx, staffId: string, code: string): Promise<readonly string[]> {
    const { pendingTotpSecret: pending } = await tx.findOneOrFail(StaffMember, { id: staffId });
    const step = pending === null ? null : stepOfCode(this.opened(staffId, pending), code, new Date());
    const confirmed =
      step === null || pending === null ? [] : await rows(tx, confirmSecret(staffId, Buffer.from(pending), step));
    if (confirmed.length === 0) {
      throw new DomainError(
        'invalid_request',
        'The code does not fit. Scan the QR code again and enter the next code.',
        {
          param: 'code',
        },
      );
    }
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    await rows(tx, deleteRecoveryCodes(staffId));
    await tx.insertMany(
      RecoveryCode,
      codes.map((one) => ({ staffId, codeHash: hashOfRecoveryCode(one) })),
    );
    return codes;
  }

  private opened(staffId: string, box: Uint8Array): string {
    return this.box.open(totpPlaceOf(staffId), Buffer.from(box)).toString('utf8');
  }
}

/** 80 random bits as four groups of five digits in hex: `1f2e3-...`. */
function newRecoveryCode(): string {
  return (randomBytes(RECOVERY_CODE_BYTES).toString('hex').match(/.{5}/g) ?? []).join('-');
}

const hashOfRecoveryCode = (code: string): string =>
  hashOf(`recovery:${code.toLowerCase().replaceAll(/[^0-9a-f]/g, '')}`);

import { defineEntity, p } from '@mikro-orm/core';

const SignInFailureSchema = defineEntity({
  name: 'SignInFailure',
  tableName: 'sign_in_failure',
  properties: {
    /** SHA-256 of `account:<email>` or `network:<prefix>`. */
    keyHash: p.text().primary(),
    failures: p.integer(),
    lastAt: p.datetime(3),
    blockedUntil: p.datetime(3).strictNullable(),
  },
});

/** The failed proofs of identity of one account, or from one network, within the last minutes. */
export class SignInFailure extends SignInFailureSchema.class {}
SignInFailureSchema.setClass(SignInFailure);

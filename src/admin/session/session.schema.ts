import { z } from 'zod';
import { ENVIRONMENTS } from '../../domain/network.js';
import { bodyOf, safeText } from '../../http/request-schema.js';
import { PERMISSION_NAMES, STAFF_ROLES } from '../../staff/permissions.js';
import { PASSWORD_LENGTH } from '../../staff/password-rules.js';

const EMAIL_MAX = 254;
/** Longer than any password that we accept, so that a mistyped one gets the usual answer. */
const GIVEN_MAX = 256;

const emailText = () => safeText({ min: 1, max: EMAIL_MAX });
const givenPassword = () => safeText({ min: 1, max: GIVEN_MAX });
export const newPassword = () => safeText(PASSWORD_LENGTH);
const code = () => z.string().regex(/^\d{6}$/, { error: 'must be the 6 digits of the authenticator' });

const roleSchema = z.enum(STAFF_ROLES);
export const rolesSchema = z
  .object({ sandbox: roleSchema, live: roleSchema })
  .meta({ description: 'The role in each environment; `none` sees nothing of it.' });

export const signInBody = bodyOf({
  email: emailText(),
  password: givenPassword(),
  code: code().optional().meta({ description: 'The code of the authenticator, when the answer was `code_required`.' }),
  recovery_code: safeText({ min: 1, max: 64 }).optional().meta({ description: 'One of the recovery codes instead.' }),
}).meta({ id: 'SignIn' });
export type SignInBody = z.infer<typeof signInBody>;

export const stepUpBody = bodyOf({
  password: givenPassword().optional().meta({ description: 'For members without an authenticator.' }),
  code: code().optional().meta({ description: 'For members with an authenticator.' }),
}).meta({ id: 'StepUp' });
export type StepUpBody = z.infer<typeof stepUpBody>;

export const passwordBody = bodyOf({ current_password: givenPassword(), new_password: newPassword() }).meta({
  id: 'ChangePassword',
});
export type PasswordBody = z.infer<typeof passwordBody>;

export const confirmTotpBody = bodyOf({ code: code() }).meta({ id: 'ConfirmTotp' });
export type ConfirmTotpBody = z.infer<typeof confirmTotpBody>;

const permissionNames = z.array(z.enum(PERMISSION_NAMES));

export const sessionSchema = z
  .object({
    object: z.literal('session'),
    staff: z.object({
      id: z.string(),
      email: z.string(),
      roles: rolesSchema,
      totp_enabled: z.boolean().meta({ description: 'Whether an authenticator is set up.' }),
      totp_required: z
        .boolean()
        .meta({ description: 'Whether everybody needs one here; until then nothing else works.' }),
    }),
    permissions: z
      .object({ sandbox: permissionNames, live: permissionNames })
      .meta({ description: 'What the member may do in each environment.' }),
    environments: z.array(z.enum(ENVIRONMENTS)).meta({ description: 'The environments with a role.' }),
    expires_at: z.string().meta({ description: 'The end of the session, whatever happens.' }),
    idle_expires_at: z.string().meta({ description: 'Its end when nothing else is done.' }),
    step_up_until: z
      .string()
      .nullable()
      .meta({ description: 'Until then the last proof of identity holds; null when it no longer does.' }),
  })
  .meta({ id: 'Session' });
export type SessionObject = z.infer<typeof sessionSchema>;

export const endedSessionSchema = z
  .object({ object: z.literal('session'), deleted: z.literal(true) })
  .meta({ id: 'EndedSession' });

export const totpSecretSchema = z
  .object({
    object: z.literal('totp_secret'),
    secret: z.string().meta({ description: 'In base32, to enter it by hand.' }),
    otpauth_uri: z.string().meta({ description: 'The same as a link, for a QR code.' }),
  })
  .meta({ id: 'TotpSecret' });

export const recoveryCodesSchema = z
  .object({
    object: z.literal('recovery_codes'),
    recovery_codes: z
      .array(z.string())
      .meta({ description: 'Each replaces one code, once. They are shown only here.' }),
  })
  .meta({ id: 'RecoveryCodes' });

import { PasswordInput } from '@mantine/core';
import { ApiError } from '../api/api-error.ts';

export const PASSWORD_LENGTH_MIN = 12;

/** A new password, twice. */
export function NewPasswordFields() {
  return (
    <>
      <PasswordInput
        name="new_password"
        label="New password"
        description={`At least ${PASSWORD_LENGTH_MIN} characters.`}
        autoComplete="new-password"
        minLength={PASSWORD_LENGTH_MIN}
        required
      />
      <PasswordInput name="repeated" label="New password, once more" autoComplete="new-password" required />
    </>
  );
}

/** The new password of the form. @throws ApiError when the two differ */
export function repeatedPassword(fields: Readonly<Record<string, string>>): string {
  const { new_password = '', repeated = '' } = fields;
  if (new_password !== repeated) throw new ApiError(0, 'not_repeated', 'The two new passwords differ.', null);
  return new_password;
}

import { notifications } from '@mantine/notifications';
import { asApiError } from '../api/api-error.ts';

/** Says that something was done. */
export function showSuccess(title: string, message = ''): void {
  notifications.show({ title, message, color: 'teal', withBorder: true });
}

/** Says that something was not done, and why. It stays until it is closed. */
export function showFailure(title: string, error: unknown): void {
  const { message, requestId } = asApiError(error);
  notifications.show({
    title,
    message: requestId === null ? message : `${message} Request ${requestId}.`,
    color: 'red',
    withBorder: true,
    autoClose: false,
    role: 'alert',
  });
}

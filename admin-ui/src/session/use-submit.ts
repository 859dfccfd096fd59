import { type FormEvent, useState } from 'react';
import { type ApiError, asApiError } from '../api/api-error.ts';

/** The state of a form that sends one request at a time: a second click while it runs sends nothing. */
export interface Submission {
  readonly isSending: boolean;
  readonly error: ApiError | null;
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
}

/** Calls `send` with the text of every named field. An error that it throws is shown, unless `send` handles it itself. */
export function useSubmit(send: (fields: Readonly<Record<string, string>>) => Promise<void>): Submission {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const submit = async (form: HTMLFormElement): Promise<void> => {
    setSending(true);
    setError(null);
    try {
      const entries = [...new FormData(form)].map(([name, value]) => [name, typeof value === 'string' ? value : '']);
      await send(Object.fromEntries(entries));
    } catch (thrown) {
      setError(asApiError(thrown));
    } finally {
      setSending(false);
    }
  };
  return {
    isSending,
    error,
    onSubmit: (event) => {
      event.preventDefault();
      if (!isSending) void submit(event.currentTarget);
    },
  };
}

import { login } from '@roastery/contract/auth';
import { logRoast } from '@roastery/contract/imports';
import type { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { AppError } from './app-error.ts';
import { parsePart } from './request-shape.ts';

const refusal = (shape: z.ZodType | undefined, value: unknown): unknown => {
  if (shape === undefined) throw new Error('the endpoint takes no body');
  try {
    return parsePart(shape, value);
  } catch (error) {
    return error instanceof AppError ? error.detail : error;
  }
};

describe('a request that lacks something', () => {
  it('names the invalid fields in readable sentences', () => {
    expect(refusal(login.body, {})).toEqual([
      { field: 'email', message: 'Is required' },
      { field: 'password', message: 'Is required' },
    ]);
  });
  it('uses the shape’s own messages where it has them', () => {
    const body = { coffee_name: 'Guji', start_time: '2026-11-20T07:40:00.000Z' };
    expect(refusal(logRoast.body, body)).toEqual([{ field: 'duration_seconds', message: 'Duration is required' }]);
  });
});

describe('a request whose check throws', () => {
  it('is refused as a validation, not as a fault of the server', () => {
    expect(refusal(login.body, { email: { length: { toString: 1 } }, password: 'x' })).toEqual([
      { field: 'body', message: 'has a value that cannot be checked' },
    ]);
  });
});

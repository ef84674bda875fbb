import { login } from '@roastery/contract/auth';
import { logRoast } from '@roastery/contract/imports';
import type { z } from 'zod';
import { describe, expect, it } from 'vitest';
import { AppError } from './app-error.ts';
import { parsePart } from './request-shape.ts';

const refusal = async (shape: z.ZodType | undefined, value: unknown): Promise<unknown> => {
  if (shape === undefined) throw new Error('the endpoint takes no body');
  const error: unknown = await parsePart(shape, value).catch((thrown: unknown) => thrown);
  return error instanceof AppError ? error.detail : error;
};

describe('a request that lacks something', () => {
  it('is told which fields, in words for a person', async () => {
    expect(await refusal(login.body, {})).toEqual([
      { field: 'email', message: 'Is required' },
      { field: 'password', message: 'Is required' },
    ]);
  });
  it('is told the shape’s own words where it has some', async () => {
    const body = { coffee_name: 'Guji', start_time: '2026-11-20T07:40:00.000Z' };
    expect(await refusal(logRoast.body, body)).toEqual([
      { field: 'duration_seconds', message: 'Duration is required' },
    ]);
  });
});

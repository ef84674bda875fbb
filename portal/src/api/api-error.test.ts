import { errorCodes } from '@roastery/contract/errors';
import { describe, expect, it } from 'vitest';
import { ApiError, sentenceFor, sentenceWithFields } from './api-error.ts';

describe('the sentence for a failed action', () => {
  it('is the server’s own when it sent one', () => {
    const error = new ApiError({ status: 409, code: 'already_exists', detail: 'Serial number RM30-1 is taken' });
    expect(sentenceFor(error, 'Failed to register machine')).toBe('Serial number RM30-1 is taken');
  });

  it('is the document’s fallback for a list of fields, or without a sentence or an answer', () => {
    const fields = [{ field: 'max_capacity_kg', message: 'must be at least 0.1' }];
    expect(sentenceFor(new ApiError({ status: 422, code: 'validation', fields }), 'Failed to register machine')).toBe(
      'Failed to register machine',
    );
    expect(sentenceFor(new ApiError({ status: 0, code: 'unreachable' }), 'Login failed')).toBe('Login failed');
    expect(sentenceFor(new TypeError('x is not a function'), 'Failed to save lot')).toBe('Failed to save lot');
  });

  it('lists refused fields as bullet lines where the document requires it', () => {
    const error = new ApiError({
      status: 422,
      code: 'validation',
      fields: [
        { field: 'altitude', message: 'must be at least 0' },
        { field: 'cupping_score', message: 'must be at most 100' },
      ],
    });
    expect(sentenceWithFields(error, 'Failed to save lot')).toBe(
      'Validation errors:\n• altitude: must be at least 0\n• cupping_score: must be at most 100',
    );
    expect(sentenceWithFields(new ApiError({ status: 500, code: 'internal' }), 'Failed to save lot')).toBe(
      'Failed to save lot',
    );
  });

  it('has a sentence for every code', () => {
    for (const code of errorCodes) expect(new ApiError({ status: 400, code }).message, code).toMatch(/^[A-Z].+\.$/);
  });
});

import type { ReactElement, ReactNode, SubmitEvent } from 'react';
import { Controller, type FieldPath, type FieldPathValue, type FieldValues } from 'react-hook-form';
import { t } from '../../language/t.ts';
import { Button, ButtonLink, type ControlSize } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { DialogBody, DialogCancel, DialogFooter } from '../../ui/Dialog.tsx';
import { FormError } from './FormError.tsx';
import { UnsavedChanges } from './UnsavedChanges.tsx';
import type { RecordForm } from './use-record-form.ts';

interface FormFieldProps<Values extends FieldValues, Body, Name extends FieldPath<Values>> {
  of: Pick<RecordForm<Values, Body>, 'hookForm'>;
  name: Name;
  /** Draws a field that is not an input, such as a Select: `{(field) => <Select label="Level" {...field} />}`. */
  children: (field: {
    value: FieldPathValue<Values, Name>;
    onChange: (value: FieldPathValue<Values, Name>) => void;
    onBlur: () => void;
    ref: (element: HTMLElement | null) => void;
    error: string | undefined;
  }) => ReactElement;
}

export const FormField = <Values extends FieldValues, Body, Name extends FieldPath<Values>>(
  props: FormFieldProps<Values, Body, Name>,
) => {
  const { of, name, children } = props;
  return (
    <Controller
      control={of.hookForm.control}
      name={name}
      render={({ field: { value, onChange, onBlur, ref }, fieldState }) =>
        children({
          value,
          onChange: (next) => {
            of.hookForm.clearErrors(name);
            onChange(next);
          },
          onBlur,
          ref,
          error: fieldState.error?.message,
        })
      }
    />
  );
};

/** Props of every frame. */
interface FrameProps<Values extends FieldValues, Body> {
  of: RecordForm<Values, Body>;
  /** Label of the main button, and while it saves. */
  submit: string;
  submitting?: string;
  children: ReactNode;
}

interface FormFrameProps {
  /** A `RecordForm`; `isDirty: false` for fields of a step, such as a search, that are not a record. */
  of: Pick<RecordForm<FieldValues, unknown>, 'submit' | 'isDirty'>;
  label?: string | undefined;
  className: string;
  children: ReactNode;
}

/** The form element alone, for a form with a layout of its own. */
export const FormFrame = ({ of, label, className, children }: FormFrameProps) => {
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    // For React a dialog's form is a child of the form that opened it.
    event.stopPropagation();
    of.submit();
  };
  return (
    <form noValidate aria-label={label} onSubmit={submit} className={className}>
      <UnsavedChanges dirty={of.isDirty} />
      {children}
    </form>
  );
};

/** Sticky foot of a long form with the error and the buttons; above the navigation bar of a phone. */
export const FormActions = ({ children }: { children: ReactNode }) => (
  <div className="sticky bottom-[calc(3.5rem+env(safe-area-inset-bottom))] z-10 -mx-4 flex flex-col gap-3 border-t border-stroke bg-page px-4 py-3 sm:mx-0 sm:px-0 lg:bottom-0">
    {children}
  </div>
);

interface PageFormProps<Values extends FieldValues, Body> extends FrameProps<Values, Body> {
  /** Names the form: `New lot`. */
  label: string;
  /** Where Cancel leads. */
  cancelTo: string;
  /** The record is shown and can't be changed. */
  isReadOnly?: boolean;
}

/** A form as a page: sections below each other, the buttons always visible. */
export const PageForm = <Values extends FieldValues, Body>(props: PageFormProps<Values, Body>) => {
  const { of, label, submit, submitting = submit, cancelTo, isReadOnly = false, children } = props;
  return (
    <FormFrame of={of} label={label} className="min-w-0">
      <fieldset disabled={isReadOnly} className="flex min-w-0 flex-col gap-4">
        {children}
        {!isReadOnly && (
          <FormActions>
            {of.notice}
            <FormError text={of.failure} />
            <div className="flex justify-end gap-2">
              <ButtonLink to={cancelTo} size="md">
                {t`Cancel`}
              </ButtonLink>
              <Button type="submit" kind="primary" size="md" busy={of.isSubmitting}>
                {of.isSubmitting ? submitting : submit}
              </Button>
            </div>
          </FormActions>
        )}
      </fieldset>
    </FormFrame>
  );
};

interface CardFormProps<Values extends FieldValues, Body> extends FrameProps<Values, Body> {
  className?: string;
  /** Layout of the fields. */
  bodyClassName: string;
  /** The button before the main one. */
  cancel: ReactNode;
  size?: ControlSize;
  /** Nothing was changed: nothing to save. */
  isUnchanged?: boolean;
}

/** A form in a card of its own. */
export const CardForm = <Values extends FieldValues, Body>(props: CardFormProps<Values, Body>) => {
  const { of, className = '', bodyClassName, cancel, size, isUnchanged = false, submit, children } = props;
  const { submitting = submit } = props;
  return (
    <FormFrame of={of} className={className}>
      <Card>
        <div className={bodyClassName}>
          {children}
          {of.notice !== null && <div className="col-span-full">{of.notice}</div>}
          {of.failure !== null && (
            <div className="col-span-full">
              <FormError text={of.failure} />
            </div>
          )}
        </div>
        <footer className="flex justify-end gap-2 border-t border-stroke px-5 py-3">
          {cancel}
          <Button
            type="submit"
            kind="primary"
            busy={of.isSubmitting}
            disabled={isUnchanged}
            {...(size === undefined ? {} : { size })}
          >
            {of.isSubmitting ? submitting : submit}
          </Button>
        </footer>
      </Card>
    </FormFrame>
  );
};

interface ModalFormProps<Values extends FieldValues, Body> extends FrameProps<Values, Body> {
  size?: ControlSize;
}

/** A form that is the content of a `Dialog`. */
export const ModalForm = <Values extends FieldValues, Body>(props: ModalFormProps<Values, Body>) => {
  const { of, submit, submitting = submit, size, children } = props;
  const sized = size === undefined ? {} : { size };
  return (
    <FormFrame of={of} className="flex min-h-0 flex-1 flex-col">
      <DialogBody>
        {children}
        {of.notice}
        <FormError text={of.failure} />
      </DialogBody>
      <DialogFooter>
        <DialogCancel {...sized} />
        <Button type="submit" kind="primary" busy={of.isSubmitting} {...sized}>
          {of.isSubmitting ? submitting : submit}
        </Button>
      </DialogFooter>
    </FormFrame>
  );
};

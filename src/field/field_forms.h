/* field_forms.h: the forms that kernels.c chooses from; for this room alone.
 *
 * To add one: a file that defines its table, a line here, a row in kernels.c. */
#ifndef CZ_FIELD_FIELD_FORMS_H
#define CZ_FIELD_FIELD_FORMS_H

#include "field/kernels.h"

extern const cz_field_kernel_table cz_field_portable;
extern const cz_field_kernel_table cz_field_adx; /* needs BMI2 and ADX */

#endif

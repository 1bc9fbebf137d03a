/*
 * adoptable.h
 *		Would idgen_adopt() accept a column?
 */
#ifndef IDGEN_ADOPTABLE_H
#define IDGEN_ADOPTABLE_H

#include "sql/column_survey.h"

extern bool idgen_column_is_adoptable(const IdgenSurvey *survey, const IdgenSurveyed *surveyed);

#endif /* IDGEN_ADOPTABLE_H */

# docs: field
from django.db import models


class IdgenField(models.BigAutoField):
    """A primary key whose default draws from an id sequence: IdgenField(sequence="parts", primary_key=True)."""

    def __init__(self, *args, sequence, **kwargs):
        self.sequence = sequence
        super().__init__(*args, **kwargs)

    def deconstruct(self):
        name, path, args, kwargs = super().deconstruct()
        return name, path, args, {**kwargs, "sequence": self.sequence}

    def db_type(self, connection):
        return "bigint DEFAULT idgen.idgen_next('%s')" % self.sequence.replace("'", "''")

    def rel_db_type(self, connection):
        return "bigint"
# docs: end

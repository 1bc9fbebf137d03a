import javax.persistence.Entity;
import javax.persistence.GeneratedValue;
import javax.persistence.Id;
import javax.persistence.Table;

import org.hibernate.annotations.GenericGenerator;
import org.hibernate.annotations.Parameter;

/** Ids of a native sequence whose values are numbers of blocks: Hibernate's optimizer hilo. */
@Entity
@Table(name = "drawn")
public class ByHilo {
	@Id
	@GeneratedValue(generator = "ids")
	@GenericGenerator(name = "ids", strategy = "org.hibernate.id.enhanced.SequenceStyleGenerator", parameters = {
		@Parameter(name = "sequence_name", value = "ids_seq"),
		@Parameter(name = "increment_size", value = "" + Clients.BLOCK_SIZE),
		@Parameter(name = "optimizer", value = "hilo") })
	Long id;

	String who = "client";
}
